export { plural } from '../../lib/text.ts';
