export { plural } from '../../lib/plural.ts';
