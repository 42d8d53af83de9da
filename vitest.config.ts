import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SHARED_HOST = 'test/openclaw/';
/** Stops the gateway that the other files of its folder use. */
const LAST = `${SHARED_HOST}stop.test.ts`;

/** What shares a host runs in the same order each time; everything else in vitest's own, the slow and the failed first. */
class SharedHostInOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [shared = [], others = []] = [true, false].map((isShared) =>
      files.filter(({ moduleId }) => moduleId.includes(SHARED_HOST) === isShared),
    );
    const rank = ({ moduleId }: TestSpecification): string => `${moduleId.endsWith(LAST)} ${moduleId}`;
    return [...(await super.sort(others)), ...shared.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))];
  }
}

/** No test asks the keychain of whoever runs it, nor does something to their machine, but for those that say so. */
const env = { PINCER_KEYCHAIN: 'off', PINCER_DEVICE: 'off' };

export default defineConfig({
  test: {
    sequence: { sequencer: SharedHostInOrder },
    projects: [
      {
        // The plugin is tested with the client as it is written, not as it was last built.
        resolve: {
          alias: { 'pincer/client': `${import.meta.dirname}/packages/hub/src/control/client/index.ts` },
        },
        test: {
          name: 'unit',
          env,
          // Files share a process: starting one each took most of the time. They pass in any order.
          isolate: false,
          maxWorkers: 2,
          // A bound for what hangs, on machines that do other things, too.
          testTimeout: 30_000,
          expect: { poll: { timeout: 10_000 } },
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
          // As above: the longest takes half a minute where nothing else goes on.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Two at once: other suites run beside these.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'openclaw',
          env: { PINCER_DEVICE: 'off' },
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
