/** Preloaded into a measured program. Responds to a boolean from the parent with the usage so far; true collects garbage first. */
process.on('message', (collect) => {
  if (typeof collect !== 'boolean') return;
  const { user, system } = process.cpuUsage();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  if (collect) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const cpuSeconds = (user + system) / 1e6;
  process.send?.({ cpuSeconds, peakMiB, retainedMiB: (heapUsed + external) / 2 ** 20 });
});
