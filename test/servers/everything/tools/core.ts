import type { EverythingTool } from '../tool.ts';
import { askingTools } from './asking.ts';
import { capabilityTools } from './capabilities.ts';
import { changingTools } from './changing.ts';
import { contentTools } from './content.ts';
import { roundTools } from './rounds.ts';
import { schemaTools } from './schemas.ts';
import { notifyingTools } from './notifying.ts';

/** The suite calls the first one without arguments. */
export const coreTools: EverythingTool[] = [
  ...contentTools,
  ...notifyingTools,
  ...askingTools,
  ...roundTools,
  ...capabilityTools,
  ...changingTools,
  ...schemaTools,
];
