// Debian's static hwloc takes this from libudev, of which there is no static library: names of disks and other block devices, for which nobody
// here asks. hwloc does without where udev_new() gives nothing, and calls no other of them then.
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))
struct udev;
struct udev_device;

HIDDEN struct udev* udev_new(void) { return NULL; }
HIDDEN struct udev* udev_unref(struct udev* udev) { return udev; }
HIDDEN struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem, const char* name) {
  (void)udev, (void)subsystem, (void)name;
  return NULL;
}
HIDDEN struct udev_device* udev_device_unref(struct udev_device* device) { return device; }
HIDDEN const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device, (void)key;
  return NULL;
}
