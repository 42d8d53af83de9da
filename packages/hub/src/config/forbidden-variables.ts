import { isForbiddenVariable as isForbiddenOn } from '../core/forbidden-variables.ts';

/** Whether no child of this machine may be given it, declared or not. */
export const isForbiddenVariable = (name: string): boolean => isForbiddenOn(name, process.platform);
