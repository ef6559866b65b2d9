// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events where the kernel makes none for a module like this.
 *
 * DOC: A module brings its trace events, and the kernel adds them when it is loaded and
 * takes them away when it is unloaded.  5.10 and 6.1 do not add those of a module that
 * taints them in any way but a few, and to be marked as a livepatch is none of these
 * (trace_module_has_bad_taint()).  They take events away without asking for that; so these
 * are added here as the kernel would have added them, and it is told whose they are.
 *
 * That is at the first mount, as nothing that is not exported is used before the kernel
 * was verified.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/trace_events.h>

#include <compat/events.h>
#include <compat/features.h>
#include <compat/ksym.h>

#if !MW_HAVE_LIVEPATCH_EVENTS
/*
 * 5.10 does not export it, and its type data know nothing of kernel/trace that it could be verified with.  But
 * its headers declare it, and the compiler has seen them.
 */
static int call_add_event(struct trace_event_call *event)
{
#if MW_HAVE_ADD_EVENT
	return trace_add_event_call(event);
#else
	typeof(trace_add_event_call) *add_event = mw_ksym_data("trace_add_event_call");

	return add_event ? add_event(event) : -ENOENT;
#endif
}

/* Context: event_mutex held, without which nobody uses the event. */
static int add(struct trace_event_call *event)
{
	int ret;

	/* a mount before this one has; or the kernel itself, if it was given that */
	if (event->event.type)
		return 0;
	ret = call_add_event(event);
	if (ret < 0)
		return ret;
#if MW_HAVE_EVENT_MODULE
	event->module = THIS_MODULE;
#else
	event->mod = THIS_MODULE;
#endif
	return 0;
}

static int add_all(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < THIS_MODULE->num_trace_events; i++)
		ret = add(THIS_MODULE->trace_events[i]);
	return ret;
}

/**
 * mw_trace_events_start() - have the kernel know memward's trace events
 *
 * They stay until the module is unloaded.  If one cannot be added, the log says so, and the next
 * mount goes on: nothing else depends on them.
 *
 * Context: mount, process, may sleep.
 * Return: 0.
 */
int mw_trace_events_start(void)
{
	struct mutex *event_mutex = mw_ksym_data("event_mutex");
	int ret = -ENOENT;

	if (event_mutex) {
		mutex_lock(event_mutex);
		ret = add_all();
		mutex_unlock(event_mutex);
	}
	if (ret)
		pr_warn("memward: no trace events: %d\n", ret);
	return 0;
}
#else
/* Where the kernel has added them. */
int mw_trace_events_start(void)
{
	return 0;
}
#endif
