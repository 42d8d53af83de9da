/** The hub's own, for tests of the core, which may not reach for it. */
export { createSealer } from '../../packages/hub/src/store/sealer.ts';
