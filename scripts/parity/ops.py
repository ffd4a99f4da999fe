"""Forward and backward of single operations in float64.

Writes tests/fixtures/ops.safetensors. Inputs, parameters and output gradients are F32
(exactly representable), results are F64. The metadata entry of each case holds its
attributes as JSON; "cases" lists the cases.

  <case>/x, /w, /b, /gamma, /beta, /label, /dy   inputs and the gradient of the output
  <case>/y (or /loss), /dx, /dw, /db, ...        results
"""

import json

import numpy as np
import torch
import torch.nn.functional as F

import st_io

out, cases = {}, {}
rng = np.random.default_rng(2024)


def rand(*shape, scale=1.0, shift=0.0):
    return (rng.standard_normal(shape) * scale + shift).astype(np.float32)


def leaf(a):
    return torch.from_numpy(a.astype(np.float64)).requires_grad_()


def put(case, attributes, **arrays):
    cases[case] = json.dumps(attributes, sort_keys=True)
    for k, a in arrays.items():
        out[f"{case}/{k}"] = a.detach().numpy().copy() if torch.is_tensor(a) else a


def differentiate(case, attributes, function, **inputs):
    """Runs y = function(**inputs), draws dy and stores y and the gradient of each input."""
    leaves = {k: leaf(a) for k, a in inputs.items()}
    y = function(**leaves)
    dy = rand(*y.shape)
    y.backward(torch.from_numpy(dy.astype(np.float64)))
    put(case, attributes, **inputs, y=y, dy=dy, **{"d" + k: t.grad for k, t in leaves.items()})


def conv2d(case, x, w, stride, pad, groups=1, bias=False):
    """pad = (top, bottom, left, right)."""
    top, bottom, left, right = pad

    def function(x, w, b=None):
        return F.conv2d(F.pad(x, (left, right, top, bottom)), w, b, stride, 0, 1, groups)

    inputs = dict(x=rand(*x), w=rand(*w, scale=0.5))
    if bias:
        inputs["b"] = rand(w[0])
    differentiate(case, dict(op="conv2d", stride=list(stride), pad_top=top, pad_bottom=bottom,
                             pad_left=left, pad_right=right, dilation=[1, 1], groups=groups,
                             bias=bias), function, **inputs)


def pool(case, op, x, kernel, stride, pad, **more):
    attributes = dict(op=op, kernel=[kernel] * 2, stride=[stride] * 2, padding=[pad] * 2,
                      ceil_mode=False, **more)
    differentiate(case, attributes,
                  lambda x: getattr(F, op)(x, kernel, stride, pad, **more), x=x)


def batch_norm(case, x, momentum, eps=1e-5, training=True, affine=True, start=None):
    channels = x.shape[1]
    mean, var = start or (np.zeros(channels, np.float32), np.ones(channels, np.float32))
    run_mean, run_var = (torch.from_numpy(a.astype(np.float64)) for a in (mean, var))
    inputs = dict(x=x)
    if affine:
        inputs.update(gamma=rand(channels, scale=0.3, shift=1), beta=rand(channels, scale=0.3))

    def function(x, gamma=None, beta=None):
        return F.batch_norm(x, run_mean, run_var, gamma, beta, training, momentum, eps)

    attributes = dict(op="batch_norm", training=training, momentum=momentum, eps=eps,
                      affine=affine, running_var="unbiased")
    differentiate(case, attributes, function, **inputs)
    put(case, attributes, running_mean_in=mean, running_var_in=var,
        running_mean=run_mean, running_var=run_var)


def cross_entropy(case, x, smoothing, reduction):
    label = rng.integers(0, x.shape[1], x.shape[0]).astype(np.int32)
    logits, target = leaf(x), torch.from_numpy(label.astype(np.int64))
    loss = F.cross_entropy(logits, target, label_smoothing=smoothing, reduction=reduction)
    loss.backward()
    rows = F.cross_entropy(logits, target, label_smoothing=smoothing, reduction="none")
    put(case, dict(op="cross_entropy", label_smoothing=smoothing, reduction=reduction),
        x=x, label=label, loss=loss, loss_rows=rows, dx=logits.grad)


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    conv2d("conv_s1_p1", (2, 3, 6, 5), (4, 3, 3, 3), (1, 1), (1, 1, 1, 1))
    conv2d("conv_s2_p1", (2, 3, 7, 8), (4, 3, 3, 3), (2, 2), (1, 1, 1, 1))
    conv2d("conv_s2_asym", (2, 3, 8, 6), (4, 3, 3, 3), (2, 2), (0, 1, 0, 1))
    conv2d("conv_asym", (1, 2, 5, 6), (3, 2, 3, 2), (1, 2), (2, 0, 1, 3), bias=True)
    conv2d("conv_groups", (2, 4, 6, 7), (6, 2, 3, 3), (2, 2), (1, 1, 1, 1), groups=2)
    conv2d("conv_depthwise", (2, 4, 5, 5), (4, 1, 3, 3), (1, 1), (1, 1, 1, 1), groups=4)
    conv2d("conv_1x1_s2", (2, 4, 6, 5), (5, 4, 1, 1), (2, 2), (0, 0, 0, 0))
    conv2d("conv_7x7_s2_p3", (1, 2, 11, 12), (3, 2, 7, 7), (2, 2), (3, 3, 3, 3), bias=True)

    pool("avg_pool_2x2_s2", "avg_pool2d", rand(2, 3, 6, 7), 2, 2, 0, count_include_pad=True)
    pool("avg_pool_3x3_s2_p1", "avg_pool2d", rand(2, 3, 7, 6), 3, 2, 1, count_include_pad=True)
    pool("avg_pool_3x3_s2_p1_exclude_pad", "avg_pool2d", rand(2, 3, 7, 6), 3, 2, 1,
         count_include_pad=False)
    differentiate("global_avg_pool", dict(op="global_avg_pool"),
                  lambda x: F.adaptive_avg_pool2d(x, 1), x=rand(2, 3, 4, 5))
    pool("max_pool_3x3_s2_p1", "max_pool2d", rand(2, 3, 8, 7), 3, 2, 1)
    pool("max_pool_2x2_s2", "max_pool2d", rand(2, 3, 7, 6), 2, 2, 0)
    # Equal values: the gradient goes to the first maximum in row order. Negative values
    # only in the last image: the padding never wins.
    ties = rng.integers(0, 3, (3, 2, 8, 7)).astype(np.float32)
    ties[2] -= 5
    pool("max_pool_ties", "max_pool2d", ties, 3, 2, 1)

    batch_norm("batch_norm_2d", rand(4, 3, 5, 4, scale=1.5, shift=0.5), 0.1)
    batch_norm("batch_norm_2d_running", rand(3, 4, 4, 3, scale=0.7, shift=-1), 0.1,
               start=(rand(4), np.abs(rand(4)) + np.float32(0.5)))
    batch_norm("batch_norm_1d", rand(6, 5, scale=2), 0.1)
    batch_norm("batch_norm_eval", rand(3, 4, 4, 3), 0.1, training=False,
               start=(rand(4), np.abs(rand(4)) + np.float32(0.5)))
    h7 = np.array([[2, 15, 2, 1], [2, 17, 2, 1], [-4, -2, -2, -1]], dtype=np.float32)
    batch_norm("batch_norm_h7", h7, 1.0, affine=False)
    assert np.allclose(out["batch_norm_h7/running_var"], [12, 109, 16 / 3, 4 / 3], rtol=1e-12)
    assert np.allclose(out["batch_norm_h7/running_mean"], [0, 10, 2 / 3, 1 / 3], atol=1e-12)

    for smoothing in (0.0, 0.1):
        for reduction in ("mean", "sum"):
            cross_entropy(f"cross_entropy_ls{smoothing}_{reduction}", rand(5, 7, scale=2),
                          smoothing, reduction)
    cross_entropy("cross_entropy_large", rand(4, 6, scale=60), 0.1, "mean")

    differentiate("linear", dict(op="linear", bias=True), lambda x, w, b: F.linear(x, w, b),
                  x=rand(5, 7), w=rand(4, 7), b=rand(4))
    differentiate("softmax", dict(op="softmax", axis=-1), lambda x: F.softmax(x, -1),
                  x=rand(4, 9, scale=3))
    differentiate("log_softmax", dict(op="log_softmax", axis=-1),
                  lambda x: F.log_softmax(x, -1), x=rand(4, 9, scale=3))
    differentiate("softmax_axis1", dict(op="softmax", axis=1), lambda x: F.softmax(x, 1),
                  x=rand(2, 5, 3, 2, scale=2))

    assert len({k.split("/")[0] for k in out}) == len(cases)
    st_io.save("ops.safetensors", out, {
        "torch": torch.__version__, "script": "scripts/parity/ops.py",
        "cases": json.dumps(list(cases)), **cases})


if __name__ == "__main__":
    main()
