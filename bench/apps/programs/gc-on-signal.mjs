// Loaded into a measured proxy (`node --expose-gc --import`): SIGUSR2 runs the garbage collector.
process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
});
