import { floor } from './floor.ts';
import { mcpHub } from './mcp-hub.ts';
import { mcpProxy } from './mcp-proxy.ts';
import { mcporter } from './mcporter.ts';
import { pincer } from './pincer.ts';
import type { Subject } from './subject.ts';
import { supergateway } from './supergateway.ts';

export const subjects: readonly Subject[] = [floor, pincer, supergateway, mcpProxy, mcporter, mcpHub];
