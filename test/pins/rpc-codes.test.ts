import { expect, test } from 'vitest';
import {
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  META_KEY,
  MODERN_VERSION,
  RPC,
} from '../../packages/hub/src/core/protocol.ts';

test('the JSON-RPC codes are these: clients rely on them', () => {
  expect(RPC).toEqual({
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    internalError: -32603,
    resourceNotFound: -32002,
    urlElicitationRequired: -32042,
    notExecuted: -32010,
    outcomeUnknown: -32011,
    headerMismatch: -32020,
    missingCapability: -32021,
    unsupportedVersion: -32022,
  });
});

test('the revisions of MCP are these', () => {
  expect(MODERN_VERSION).toBe('2026-07-28');
  expect(LATEST_LEGACY_VERSION).toBe('2025-11-25');
  expect(LEGACY_VERSIONS).toEqual(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
});

test('the keys of the envelope are these', () => {
  expect(META_KEY).toEqual({
    protocolVersion: 'io.modelcontextprotocol/protocolVersion',
    clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
    clientInfo: 'io.modelcontextprotocol/clientInfo',
    logLevel: 'io.modelcontextprotocol/logLevel',
    serverInfo: 'io.modelcontextprotocol/serverInfo',
    subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  });
});
