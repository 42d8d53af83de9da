/** What there is to be had of this machine. */
import { readRawOffer, type Offer } from '../../../core/catalog/offer.ts';
import { jsonBytes } from '../../../core/wire/byte-text.ts';
import type { CapabilityRegistry } from '../registry/registry.ts';
import { DEVICE_RESOURCES } from '../watch/resources.ts';
import { toolOf } from './tool.ts';

export const offerOf = (registry: Pick<CapabilityRegistry, 'list'>): Offer =>
  readRawOffer({
    about: jsonBytes({
      era: 'legacy',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'pincer-device', title: 'This machine' },
      instructions:
        'Tools of the machine that Pincer runs on. What is switched off is not listed; the resource device://capabilities tells what there is, and why something does not work.',
    }),
    tools: registry.list().map((each) => jsonBytes(toolOf(each))),
    prompts: [],
    resources: DEVICE_RESOURCES.map((resource) => jsonBytes(resource)),
    templates: [],
  });
