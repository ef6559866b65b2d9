# SPDX-License-Identifier: GPL-2.0
# What a person types; what the kernel's build system reads is Kbuild.
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

all:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

install:
	scripts/package/install $(KVER)

uninstall:
	scripts/package/uninstall

# The command, by the Go of Debian 13; who has a Go of 1.24 or newer may build it without root: go build ./cmd/memward
command:
	cp "$$(scripts/machine/command)" memward

# The manual pages, into build/man: man build/man/memward.8.
man:
	scripts/package/man build/man

# The Debian packages, and the source package that they are made of, into build/deb.
deb:
	scripts/package/deb build/deb

demo:
	scripts/demo

# The gate: the same list each time, a quarter of an hour.
check:
	scripts/check

# Many hours, in parts of at most two: the long form of what check shortens. What has passed since the module last changed is not run again.
soak:
	scripts/soak

# Of these, the debug kernel, which checks every access, every lock and every allocation, and the one that finds races.
check-debug:
	scripts/soak debug kcsan

# Which kernels of the mirrors memward would attach to.
canary:
	scripts/canary

bench:
	scripts/bench

.PHONY: all clean install uninstall command man deb demo check soak check-debug canary bench
