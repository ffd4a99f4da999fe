"""Ten SGD steps of a small residual network in float64.

Writes tests/fixtures/resnet_small.safetensors. Starting values, images and
learning rates are exactly representable in float32, so that a float32 program
starts from the same numbers.
"""

import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import st_io

# The seed is chosen so that no ReLU input of the float64 run comes nearer to 0 than 2e-5
# ("--scan N" lists candidates): rounding in a float32 run then moves no element across the kink.
SEED = 129
STEPS, BATCH, CLASSES = 10, 6, 10
SHAPE = (1, 12, 10)
LR = [0.01, 0.02, 0.035, 0.05, 0.06, 0.05, 0.04, 0.03, 0.015, 0.005]
MOMENTUM, WEIGHT_DECAY, SMOOTHING = 0.9, 1e-3, 0.1

margin = [float("inf")]


def relu(x):
    margin[0] = min(margin[0], x.detach().abs().min().item())
    return F.relu(x)


def conv(cin, cout, kernel, stride=1, groups=1):
    return nn.Conv2d(cin, cout, kernel, stride, kernel // 2, groups=groups, bias=False)


def downsample(cin, cout, stride):
    return nn.Sequential(conv(cin, cout, 1, stride), nn.BatchNorm2d(cout))


class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1, self.bn1 = conv(cin, cout, 3, stride), nn.BatchNorm2d(cout)
        self.conv2, self.bn2 = conv(cout, cout, 3), nn.BatchNorm2d(cout)
        self.downsample = None if stride == 1 and cin == cout else downsample(cin, cout, stride)

    def forward(self, x):
        y = relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return relu(y + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    """Version 1.5: the stride is on the 3x3 convolution."""

    def __init__(self, cin, width, cout, stride, groups):
        super().__init__()
        self.conv1, self.bn1 = conv(cin, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride, groups), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = conv(width, cout, 1), nn.BatchNorm2d(cout)
        self.downsample = downsample(cin, cout, stride)

    def forward(self, x):
        y = relu(self.bn1(self.conv1(x)))
        y = relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return relu(y + self.downsample(x))


class ResNetSmall(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = conv(1, 8, 3), nn.BatchNorm2d(8)
        self.layer1 = nn.Sequential(BasicBlock(8, 8))
        self.layer2 = nn.Sequential(BasicBlock(8, 16, 2))
        self.layer3 = nn.Sequential(Bottleneck(16, 8, 32, 2, 2))
        self.fc = nn.Linear(32, CLASSES)

    def forward(self, x):
        x = relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean(dim=(2, 3)))


def make_start(seed):
    """The float32 network, images, labels and learning rates."""
    torch.manual_seed(seed)
    model = ResNetSmall()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 4:
                nn.init.kaiming_normal_(p, mode="fan_out", nonlinearity="relu")
            elif name == "fc.weight":
                p.normal_(0, 0.2)
            elif name.endswith(".weight"):
                p.copy_(1 + 0.2 * torch.randn_like(p))
            else:
                p.normal_(0, 0.1)
    labels = torch.randint(0, CLASSES, (STEPS, BATCH), dtype=torch.int64)
    # Images carry a pattern of their class, so that the loss has something to learn.
    patterns = torch.randn(CLASSES, *SHAPE)
    images = torch.randn(STEPS, BATCH, *SHAPE) * 0.8 + patterns[labels] * 0.6
    return model, images, labels, torch.tensor(LR, dtype=torch.float32)


def state(model):
    """Parameters and running statistics as arrays."""
    return {k: v.detach().numpy().copy() for k, v in model.state_dict().items()
            if not k.endswith("num_batches_tracked")}


def split(model):
    named = dict(model.named_parameters())
    decay = [k for k, p in named.items() if p.dim() >= 2]
    return decay, [k for k in named if k not in decay]


def train(seed, dtype=torch.float64):
    model, images, labels, lr = make_start(seed)
    out = {f"init/{k}": v for k, v in state(model).items()}
    out["image"], out["lr"] = images.numpy(), lr.numpy()
    out["label"] = labels.numpy().astype(np.int32)
    model, images = model.to(dtype), images.to(dtype)
    named = dict(model.named_parameters())
    decay, no_decay = split(model)
    opt = torch.optim.SGD(
        [{"params": [named[k] for k in decay], "weight_decay": WEIGHT_DECAY},
         {"params": [named[k] for k in no_decay], "weight_decay": 0.0}],
        lr=1.0, momentum=MOMENTUM, nesterov=True)
    margin[0] = float("inf")
    losses = []
    model.train()
    for step in range(STEPS):
        for group in opt.param_groups:
            group["lr"] = float(lr[step])
        opt.zero_grad()
        logits = model(images[step])
        loss = F.cross_entropy(logits, labels[step], label_smoothing=SMOOTHING)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            out["logits0"] = logits.detach().numpy().copy()
        if step in (0, STEPS - 1):
            out.update({f"grad{step}/{k}": p.grad.numpy().copy() for k, p in named.items()})
        opt.step()
    out["loss"] = np.array(losses, dtype=np.float64)
    out.update({f"final/{k}": v for k, v in state(model).items()})
    model.eval()
    with torch.no_grad():
        out["eval_logits"] = model(images[0]).numpy().copy()
    return out, model, margin[0]


def scan(count):
    """Lists the distance of the nearest ReLU input to 0 for seeds 0..count-1."""
    for m, s in sorted(((train(s)[2], s) for s in range(count)), reverse=True)[:10]:
        print(f"seed {s}: {m:.3e}")


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    if sys.argv[1:2] == ["--scan"]:
        return scan(int(sys.argv[2]))
    out, model, nearest = train(SEED)
    decay, no_decay = split(model)
    metadata = {
        "torch": torch.__version__,
        "script": "scripts/parity/resnet_small.py",
        "seed": str(SEED),
        "dtype": "float64",
        "steps": str(STEPS),
        "batch_size": str(BATCH),
        "num_classes": str(CLASSES),
        "optimizer": "sgd",
        "momentum": repr(MOMENTUM),
        "dampening": "0.0",
        "nesterov": "true",
        "weight_decay": repr(WEIGHT_DECAY),
        "decay_params": ",".join(decay),
        "no_decay_params": ",".join(no_decay),
        "label_smoothing": repr(SMOOTHING),
        "reduction": "mean",
        "bn_eps": "1e-05",
        "bn_momentum": "0.1",
        "bn_running_var": "unbiased",
        "grad": "of the mean loss, without weight decay",
        "relu_margin": f"{nearest:.3e}",
    }
    st_io.save("resnet_small.safetensors", out, metadata)
    print("loss", " ".join(f"{v:.6f}" for v in out["loss"]))
    # How far the same program in float32 ends: a floor for the tolerances of a float32 test.
    low = train(SEED, torch.float32)[0]
    for prefix in ("logits0", "loss", "grad0/", "grad9/", "final/", "eval_logits"):
        keys = [k for k in out if k.startswith(prefix)]
        diff = max(np.abs(out[k] - low[k]).max() for k in keys)
        rel = max(np.linalg.norm(out[k] - low[k]) / np.linalg.norm(out[k]) for k in keys)
        print(f"float32 against float64: {prefix:12} max |diff| {diff:.2e}, max relative norm {rel:.2e}")


if __name__ == "__main__":
    main()
