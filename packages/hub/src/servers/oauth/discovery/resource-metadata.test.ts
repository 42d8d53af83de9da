import { describe, expect, it } from 'vitest';
import { canonicalResource, readResourceMetadata, resourceMetadataPlaces } from './discover.ts';

const server = new URL('https://mcp.example.com/a/mcp');
const metadata = (resource: unknown, more: object = {}): string => JSON.stringify({ resource, ...more });

describe('resourceMetadataPlaces', () => {
  it('are where the server said, at its path, at its root', () => {
    expect(resourceMetadataPlaces(server, 'https://mcp.example.com/meta')).toEqual([
      'https://mcp.example.com/meta',
      'https://mcp.example.com/.well-known/oauth-protected-resource/a/mcp',
      'https://mcp.example.com/.well-known/oauth-protected-resource',
    ]);
    expect(resourceMetadataPlaces(new URL('https://mcp.example.com/'), undefined)).toEqual([
      'https://mcp.example.com/.well-known/oauth-protected-resource',
    ]);
  });

  it.each([
    'https://evil.example.com/meta',
    'http://mcp.example.com/meta',
    'https://mcp.example.com:444/meta',
    'https://mcp.example.com@evil.example.com/',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'not an address',
    '/relative',
  ])('are never elsewhere: %s', (said) =>
    expect(() => resourceMetadataPlaces(server, said)).toThrow(/another origin/),
  );
});

describe('readResourceMetadata', () => {
  it('keeps the resource as it is written', () => {
    expect(
      readResourceMetadata(
        metadata('https://mcp.example.com/a/mcp', {
          authorization_servers: ['https://auth.example.com', 1],
          scopes_supported: ['a'],
        }),
        server,
      ),
    ).toEqual({
      resource: 'https://mcp.example.com/a/mcp',
      authorizationServers: ['https://auth.example.com'],
      scopesSupported: ['a'],
    });
  });

  it.each([
    'https://mcp.example.com',
    'https://mcp.example.com/',
    'https://mcp.example.com/a',
    'https://mcp.example.com/a/mcp/',
  ])('takes %s for all that is below it', (resource) =>
    expect(readResourceMetadata(metadata(resource), server).resource).toBe(resource),
  );

  it.each([
    'https://evil.example.com/a/mcp',
    'http://mcp.example.com/a/mcp',
    'https://mcp.example.com/a/mc',
    'https://mcp.example.com/a/mcp/deeper',
    'https://mcp.example.com/b',
    'https://mcp.example.com/a/mcp#x',
    'https://mcp.example.com/a/mcp\n',
    'urn:x',
  ])('refuses that of another server: %s', (resource) =>
    expect(() => readResourceMetadata(metadata(resource), server)).toThrow(/another one/),
  );

  it.each(['', '[]', 'null', '<html>', '{}', '{"resource":1}'])('refuses %s', (text) =>
    expect(() => readResourceMetadata(text, server)).toThrow(
      expect.objectContaining({ code: 'SIGN_IN_FAILED' }),
    ),
  );
});

describe('canonicalResource', () => {
  it('is the address without a lone slash and without a fragment', () => {
    expect(canonicalResource(new URL('https://MCP.example.com:443/'))).toBe('https://mcp.example.com');
    expect(canonicalResource(new URL('https://mcp.example.com/a/?x=1#y'))).toBe(
      'https://mcp.example.com/a/?x=1',
    );
  });
});
