import { describe, expect, it } from 'vitest';
import type { Bounds } from '../guard/bounds.ts';
import { hasS256, readServerMetadata, serverMetadataUrls } from './server-metadata.ts';
import { verifies } from '../../../../../../test/verifies.ts';

const OPEN: Bounds = { allowsPrivate: false, named: new Set() };
const ISSUER = 'https://auth.example.com';
const FULL = {
  issuer: ISSUER,
  authorization_endpoint: 'https://auth.example.com/authorize?tenant=1',
  token_endpoint: 'https://tokens.example.com/token',
  registration_endpoint: 'https://auth.example.com/register',
  code_challenge_methods_supported: ['plain', 'S256'],
};
const read = (more: object = {}, issuers = [ISSUER]): ReturnType<typeof readServerMetadata> =>
  readServerMetadata(JSON.stringify({ ...FULL, ...more }), issuers, OPEN);

describe('serverMetadataUrls', () => {
  it('inserts the path, then prepends it', () => {
    verifies('004-5.1-server-metadata');
    expect(serverMetadataUrls(new URL('https://auth.example.com/tenant/1/'))).toEqual([
      'https://auth.example.com/.well-known/oauth-authorization-server/tenant/1',
      'https://auth.example.com/.well-known/openid-configuration/tenant/1',
      'https://auth.example.com/tenant/1/.well-known/openid-configuration',
    ]);
  });

  it('has two addresses without a path', () => {
    expect(serverMetadataUrls(new URL(ISSUER))).toEqual([
      'https://auth.example.com/.well-known/oauth-authorization-server',
      'https://auth.example.com/.well-known/openid-configuration',
    ]);
  });
});

describe('readServerMetadata', () => {
  it('reads endpoints and capabilities', () => {
    verifies('004-9.2-metadata-fields');
    expect(
      read({
        scopes_supported: ['a'],
        token_endpoint_auth_methods_supported: ['none'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      }),
    ).toEqual({
      issuer: ISSUER,
      authorization_endpoint: FULL.authorization_endpoint,
      token_endpoint: FULL.token_endpoint,
      registration_endpoint: FULL.registration_endpoint,
      scopes_supported: ['a'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['plain', 'S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('drops members that were not checked', () => {
    expect(
      read({
        mtls_endpoint_aliases: { token_endpoint: 'http://127.0.0.1/' },
        jwks_uri: 'file:///etc/passwd',
        scopes_supported: 'a',
        client_id_metadata_document_supported: 'true',
      }),
    ).toEqual({
      ...FULL,
      client_id_metadata_document_supported: false,
      authorization_response_iss_parameter_supported: false,
    });
  });

  it.each([
    'https://auth.example.com/',
    'https://AUTH.example.com',
    'https://auth.example.com:443',
    'https://evil.example.com',
    'http://auth.example.com',
  ])('refuses an issuer that does not match exactly: %s', (issuer) =>
    expect(() => read({ issuer })).toThrow(/another issuer/),
  );

  it('knows S256 only by its exact name', () => {
    expect(hasS256(read())).toBe(true);
    for (const methods of [undefined, ['plain', 's256'], 'S256'])
      expect(hasS256(read({ code_challenge_methods_supported: methods }))).toBe(false);
  });

  it.each([
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'file:///etc/passwd'],
    ['authorization_endpoint', 'http://evil.example.com/authorize'],
    ['authorization_endpoint', 'https://192.168.1.1/reboot'],
    ['authorization_endpoint', '$(calc)'],
    ['token_endpoint', 'http://127.0.0.1:6379/'],
    ['token_endpoint', 'https://169.254.169.254/'],
    ['registration_endpoint', 'https://[::1]/'],
    ['revocation_endpoint', 'https://user:pass@example.com/'],
    ['device_authorization_endpoint', 'ms-msdt:x'],
  ])('refuses as %s: %s', (name, value) =>
    expect(() => read({ [name]: value })).toThrow(expect.objectContaining({ code: 'SIGN_IN_FAILED' })),
  );

  it('requires a token endpoint', () =>
    expect(() => read({ token_endpoint: undefined })).toThrow(/token endpoint/));
});
