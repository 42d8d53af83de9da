export { plural } from '../../core/plural.ts';
