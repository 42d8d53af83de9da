import { readIntroduction } from '../../core/catalog/server-about.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';

/** What an app has to offer: tools, and nothing else. */
export const ABOUT_APPS = readIntroduction(
  jsonBytes({ capabilities: { tools: { listChanged: true } } }),
  'modern',
);
