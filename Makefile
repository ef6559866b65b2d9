# SPDX-License-Identifier: GPL-2.0
# What a person types; what the kernel's build system reads is Kbuild.
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

all:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

install:
	scripts/install $(KVER)

uninstall:
	scripts/uninstall

demo:
	scripts/demo

check:
	scripts/check

# Hours: the debug kernel checks every access, every lock and every allocation.
check-debug:
	scripts/check --kernel debug
	scripts/check --kernel kcsan --only 'accounting|membership|lifecycle|throttle|storm.sh|races|model'

# Which kernels of the mirrors memward would attach to.
canary:
	scripts/canary

bench:
	scripts/bench

.PHONY: all clean install uninstall demo check check-debug canary bench
