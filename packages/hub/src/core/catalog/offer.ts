/** The offer of one server. */
import {
  parsePromptDefinition,
  type PromptDefinition,
  parseResourceDefinition,
  parseTemplateDefinition,
  type ResourceDefinition,
  type TemplateDefinition,
  type Definition,
} from './definition.ts';
import { EMPTY_ABOUT, readAbout, type ServerAbout } from './server-about.ts';
import { parseToolDefinition, type ToolDefinition } from './tool-definition.ts';
import type { ByteText } from '../wire/byte-text.ts';

export interface Offer {
  readonly about: ServerAbout;
  readonly tools: readonly ToolDefinition[];
  readonly prompts: readonly PromptDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly templates: readonly TemplateDefinition[];
  /** Tools that are not listed. Their names stay reserved. */
  readonly withheld?: readonly ToolDefinition[];
}

/** Lists that change and are notified together. Templates belong to the resources. */
export type ListKind = 'tools' | 'prompts' | 'resources';

export const EMPTY_OFFER: Offer = {
  about: EMPTY_ABOUT,
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
};

/** An offer in its original bytes. */
export type RawOffer = { readonly about: ByteText } & {
  readonly [K in Exclude<keyof Offer, 'about' | 'withheld'>]: readonly ByteText[];
};

export const toRawOffer = ({ about, tools, prompts, resources, templates }: Offer): RawOffer => ({
  about: about.raw,
  tools: rawOf(tools),
  prompts: rawOf(prompts),
  resources: rawOf(resources),
  templates: rawOf(templates),
});

export function readRawOffer(raw: RawOffer): Offer {
  const about = readAbout(raw.about);
  return {
    about,
    tools: raw.tools.flatMap((tool) => parseToolDefinition(tool, about.era) ?? []),
    prompts: raw.prompts.flatMap((prompt) => parsePromptDefinition(prompt) ?? []),
    resources: raw.resources.flatMap((resource) => parseResourceDefinition(resource) ?? []),
    templates: raw.templates.flatMap((template) => parseTemplateDefinition(template) ?? []),
  };
}

/** Whether two offers have the same bytes. */
export const isSameOffer = (a: Offer, b: Offer): boolean =>
  a.about.raw === b.about.raw &&
  isSameList(a.tools, b.tools) &&
  isSameList(a.prompts, b.prompts) &&
  isSameList(a.resources, b.resources) &&
  isSameList(a.templates, b.templates);

export const isSameList = (a: readonly Definition[], b: readonly Definition[]): boolean =>
  a === b || (a.length === b.length && a.every(({ raw }, index) => raw === b[index]!.raw));

const rawOf = (definitions: readonly Definition[]): ByteText[] => definitions.map(({ raw }) => raw);
