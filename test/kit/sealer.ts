/** The hub's own sealer, for tests of the core, which may not import it. */
export { createSealer } from '../../packages/hub/src/store/sealer.ts';
