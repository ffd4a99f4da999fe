# The everyday commands, in one list; scripts/setup holds the how.
.DEFAULT_GOAL := help
.PHONY: help build train test lint format asan tsan clean

help:
	@echo 'make build    install what is missing from Debian, build the command build/bin/lockstep'
	@echo 'make train    build, then train an 8-layer ResNet on Fashion-MNIST (configs/desk/resnet.toml)'
	@echo 'make test     build and run all tests'
	@echo 'make asan     run the fast tests under the address and undefined-behaviour sanitizers'
	@echo 'make tsan     run the fast tests under the thread sanitizer'
	@echo 'make lint     check format, clang-tidy, layers, words and headers'
	@echo 'make format   format the sources'
	@echo 'make clean    remove build/'

build train test lint format asan tsan:
	@scripts/setup $@

clean:
	rm -rf build
