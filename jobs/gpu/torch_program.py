"""A program by others for torch_agreement.py: matrix products by cuBLAS and convolutions by cuDNN, through PyTorch, in a range of NVTX's each.

Prints, as JSON, the FLOPs of each range by arithmetic: N^3 multiply-adds a product; of convolutions null, for cuDNN chooses among algorithms of
different work.
"""

import json

import torch

N, TIMES = 4096, 5


def in_range(name, work):
    """Does it once before, so that libraries have chosen their kernels, and then in the range."""
    work()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push(name)
    for _ in range(TIMES):
        work()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()


def main():
    a, b = (torch.rand(N, N, device="cuda").to(torch.bfloat16) for _ in range(2))
    images, filters = torch.rand(16, 64, 112, 112, device="cuda"), torch.rand(64, 64, 3, 3, device="cuda")
    in_range("product", lambda: a @ b)
    in_range("convolution", lambda: torch.nn.functional.conv2d(images, filters, stride=2))
    print(json.dumps({"product": TIMES * 2 * N**3, "convolution": None}))


if __name__ == "__main__":
    main()
