"""SGD update rules and learning-rate schedules in float64.

Writes tests/fixtures/sgd_forms.safetensors (20 steps on 7 parameters with stored
gradients and a changing learning rate) and tests/fixtures/schedules.safetensors.
"""

import json
import warnings

import numpy as np
import torch
from torch.optim import lr_scheduler

import st_io

STEPS, SIZE = 20, 7
MU, WD = 0.9, 1e-2
LR = [0.01, 0.02, 0.04, 0.08, 0.1, 0.1, 0.1, 0.09, 0.08, 0.07,
      0.05, 0.05, 0.03, 0.02, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005]

TORCH = {
    "plain": dict(momentum=0.0, nesterov=False, weight_decay=0.0),
    "momentum": dict(momentum=MU, nesterov=False, weight_decay=0.0),
    "nesterov": dict(momentum=MU, nesterov=True, weight_decay=0.0),
    "weight_decay": dict(momentum=0.0, nesterov=False, weight_decay=WD),
    "momentum_weight_decay": dict(momentum=MU, nesterov=False, weight_decay=WD),
    "nesterov_weight_decay": dict(momentum=MU, nesterov=True, weight_decay=WD),
}
# The same settings with the learning rate inside the momentum buffer.
LR_IN_BUFFER = {"lr_in_buffer_" + k: TORCH[k] for k in TORCH if TORCH[k]["momentum"]}


def run_torch(start, grads, lrs, settings):
    """torch.optim.SGD: buf = mu*buf + g', w -= lr*buf or lr*(g' + mu*buf), g' = g + wd*w."""
    w = torch.nn.Parameter(torch.from_numpy(start.astype(np.float64)))
    opt = torch.optim.SGD([w], lr=1.0, **settings)
    params, buffers = [], []
    for g, lr in zip(grads, lrs):
        opt.param_groups[0]["lr"] = float(lr)
        w.grad = torch.from_numpy(g.astype(np.float64))
        opt.step()
        params.append(w.detach().numpy().copy())
        buf = opt.state[w].get("momentum_buffer")
        buffers.append(np.zeros(SIZE) if buf is None else buf.numpy().copy())
    return np.array(params), np.array(buffers)


def run_numpy(start, grads, lrs, settings, lr_in_buffer):
    mu, wd = settings["momentum"], settings["weight_decay"]
    w, m = start.astype(np.float64), np.zeros(SIZE)
    params, buffers = [], []
    for g, lr in zip(grads.astype(np.float64), lrs.astype(np.float64)):
        d = g + wd * w
        if lr_in_buffer:
            m = mu * m + lr * d
            w = w - (mu * m + lr * d) if settings["nesterov"] else w - m
        else:
            m = mu * m + d
            w = w - lr * (d + mu * m) if settings["nesterov"] else w - lr * m
        params.append(w.copy())
        buffers.append(m.copy())
    return np.array(params), np.array(buffers)


def text(settings, **more):
    return json.dumps({**settings, **more}, sort_keys=True)


def sgd_forms():
    rng = np.random.default_rng(7)
    start = rng.standard_normal(SIZE).astype(np.float32)
    grads = rng.standard_normal((STEPS, SIZE)).astype(np.float32)
    lrs = np.array(LR, dtype=np.float32)
    out = {"init/param": start, "grad": grads, "lr": lrs}
    meta = {"torch": torch.__version__, "script": "scripts/parity/sgd_forms.py",
            "variants": json.dumps(list(TORCH) + list(LR_IN_BUFFER))}
    for name, settings in TORCH.items():
        params, buffers = run_torch(start, grads, lrs, settings)
        again = run_numpy(start, grads, lrs, settings, False)
        assert np.allclose(params, again[0], rtol=1e-13, atol=1e-13), name
        out[f"{name}/param"] = params
        if settings["momentum"]:
            out[f"{name}/buffer"] = buffers
        meta[name] = text(settings, lr_in_buffer=False)
    for name, settings in LR_IN_BUFFER.items():
        out[f"{name}/param"], out[f"{name}/buffer"] = run_numpy(start, grads, lrs, settings, True)
        plain = out[name.removeprefix("lr_in_buffer_") + "/param"]
        assert np.allclose(out[f"{name}/param"][0], plain[0], rtol=1e-13, atol=1e-13), name
        assert not np.allclose(out[f"{name}/param"], plain, atol=1e-3), name
        meta[name] = text(settings, lr_in_buffer=True)
    st_io.save("sgd_forms.safetensors", out, meta)


SCHEDULES = {
    "one_cycle": (0.2, lr_scheduler.OneCycleLR, dict(
        max_lr=0.2, total_steps=50, pct_start=0.3, anneal_strategy="cos", div_factor=25.0,
        final_div_factor=1e4, cycle_momentum=False)),
    "cosine_annealing": (0.1, lr_scheduler.CosineAnnealingLR, dict(T_max=50, eta_min=0.001)),
    "step": (0.1, lr_scheduler.StepLR, dict(step_size=10, gamma=0.1)),
    "multi_step": (0.1, lr_scheduler.MultiStepLR, dict(milestones=[10, 30], gamma=0.1)),
    "polynomial": (0.1, lr_scheduler.PolynomialLR, dict(total_iters=50, power=2.0)),
    "linear_warmup": (0.1, lr_scheduler.LinearLR, dict(
        start_factor=0.1, end_factor=1.0, total_iters=10)),
}


def schedules():
    """Element i of each tensor is the rate that step i (from 0) runs with."""
    out, meta = {}, {"torch": torch.__version__, "script": "scripts/parity/sgd_forms.py",
                     "steps": "50", "schedules": json.dumps(list(SCHEDULES))}
    for name, (base, kind, settings) in SCHEDULES.items():
        opt = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))], lr=base)
        schedule = kind(opt, **settings)
        rates = []
        for i in range(50):
            rates.append(opt.param_groups[0]["lr"])
            opt.step()
            if i < 49:
                schedule.step()
        out[name] = np.array(rates, dtype=np.float64)
        meta[name] = text(settings, base_lr=base, kind=kind.__name__)
    i = np.arange(50)
    closed = {
        "cosine_annealing": 0.001 + 0.099 * (1 + np.cos(np.pi * i / 50)) / 2,
        "step": 0.1 * 0.1 ** (i // 10),
        "multi_step": 0.1 * 0.1 ** ((i >= 10).astype(int) + (i >= 30)),
        "polynomial": 0.1 * (1 - i / 50) ** 2,
        "linear_warmup": 0.1 * (0.1 + 0.9 * np.minimum(i, 10) / 10),
    }
    for name, values in closed.items():
        assert np.allclose(out[name], values, rtol=1e-11, atol=0), name
    st_io.save("schedules.safetensors", out, meta)


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("error")
    sgd_forms()
    schedules()
