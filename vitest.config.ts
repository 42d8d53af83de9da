import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Stops the gateway that the other files of its folder use. */
const LAST = 'test/openclaw/stop.test.ts';

class StopLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLast = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(LAST);
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)];
  }
}

/** No test asks the keychain of whoever runs it, but for the one that brings its own. */
const env = { PINCER_KEYCHAIN: 'off' };

export default defineConfig({
  test: {
    sequence: { sequencer: StopLast },
    projects: [
      {
        test: {
          name: 'unit',
          env,
          // Files share a process: starting one each took most of the time. They pass in any order.
          isolate: false,
          maxWorkers: 2,
          include: ['packages/*/src/**/*.test.ts', 'test/pins/**/*.test.ts', 'test/requirements.test.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          env,
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
      {
        test: {
          name: 'openclaw',
          include: ['test/openclaw/**/*.test.ts'],
          globalSetup: ['test/openclaw/one-host.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
