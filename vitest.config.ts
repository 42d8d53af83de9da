import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Files share a process: starting one each took most of the time. They pass in any order.
          isolate: false,
          maxWorkers: 2,
          include: ['packages/*/src/**/*.test.ts', 'test/pins/**/*.test.ts', 'test/requirements.test.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          include: [
            'test/e2e/**/*.test.ts',
            'test/chaos/**/*.test.ts',
            'test/servers/**/*.test.ts',
            'test/conformance/**/*.test.ts',
          ],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
