/** Definitions as a server lists them, and offers made of them. For unit tests. */
import { EMPTY_OFFER, type Offer } from '../../packages/hub/src/core/catalog/offer.ts';
import {
  parsePromptDefinition,
  type PromptDefinition,
  parseResourceDefinition,
  parseTemplateDefinition,
  type ResourceDefinition,
  type TemplateDefinition,
} from '../../packages/hub/src/core/catalog/definition.ts';
import { readIntroduction, type ServerAbout } from '../../packages/hub/src/core/catalog/server-about.ts';
import {
  parseToolDefinition,
  type ToolDefinition,
} from '../../packages/hub/src/core/catalog/tool-definition.ts';
import { jsonBytes } from '../../packages/hub/src/core/wire/byte-text.ts';

export const offerOf = (parts: Partial<Offer>): Offer => ({ ...EMPTY_OFFER, ...parts });

/** A tool of a modern server, with a default input schema. */
export const defineTool = (tool: {
  readonly name: string;
  readonly [member: string]: unknown;
}): ToolDefinition => parseToolDefinition(jsonBytes({ inputSchema: { type: 'object' }, ...tool }), 'modern')!;

export const definePrompt = (name: string, more: object = {}): PromptDefinition =>
  parsePromptDefinition(jsonBytes({ name, ...more }))!;

export const defineResource = (uri: string, name = uri): ResourceDefinition =>
  parseResourceDefinition(jsonBytes({ uri, name }))!;

export const defineTemplate = (uriTemplate: string, name = uriTemplate): TemplateDefinition =>
  parseTemplateDefinition(jsonBytes({ uriTemplate, name }))!;

export const aboutOf = (capabilities: object, instructions?: string): ServerAbout =>
  readIntroduction(jsonBytes({ capabilities, instructions }), 'legacy');
