import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';

test('the limits are these: changing one is a decision', () => {
  expect(DEFAULT_LIMITS).toEqual({
    maxMessageBytes: 100_663_296,
    bodyTimeoutMs: 30_000,
    maxCalls: 256,
    maxCallsPerCredential: 64,
    slotWaitMs: 50,
    keepAliveMs: 15_000,
    maxUnsentToClientBytes: 1_048_576,
    maxUnsentToServerBytes: 16_777_216,
    maxSessionsPerCredential: 1_000,
    sessionTtlMs: 3_600_000,
    maxOwnConnections: 16,
    ownConnectionIdleMs: 300_000,
    maxToolPages: 64,
    maxToolsPerServer: 5_000,
    maxCatalogBytes: 8_388_608,
    listPageSize: 1_000,
    listWaitMs: 5_000,
    stderrTailBytes: 65_536,
    idleExitMs: 300_000,
    maxQuestions: 64,
    maxStreamsPerCredential: 64,
    maxReplayEvents: 1_000,
    maxReplayBytes: 4_194_304,
    maxReplayBytesInAll: 67_108_864,
    resumeWaitMs: 60_000,
    questionTimeoutMs: 600_000,
    maxParkedCalls: 64,
  });
});
