import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../../test/verifies.ts';
import type { ServerMetadata } from '../discovery/server-metadata.ts';
import type { AuthSettings } from './settings.ts';
import { chooseClient, methodGiven, methodToRegister, methodWithSecret } from './registration.ts';

describe('chooseClient', () => {
  const ISSUER = 'https://auth.example.com';
  const DOCUMENT = 'https://pincer.example.com/client.json';

  async function choose(auth: AuthSettings, hasFlag: boolean, clientMetadataUrl?: string) {
    const asked: string[] = [];
    const metadata: ServerMetadata = {
      issuer: ISSUER,
      token_endpoint: `${ISSUER}/token`,
      registration_endpoint: `${ISSUER}/register`,
      client_id_metadata_document_supported: hasFlag,
    };
    const { clientId, how } = await chooseClient({
      fetch: async (url) => {
        asked.push(String(url));
        return { status: 201, headers: {}, text: '{"client_id":"registered"}', isFromPrivate: false };
      },
      bounds: { named: new Set(), allowsPrivate: false },
      server: 'docs',
      auth,
      metadata,
      clientMetadataUrl,
      port: 1234,
    });
    return { clientId, how, asked };
  }

  it('prefers a configured client, then the metadata document, then a registration', async () => {
    verifies('004-5.2-order', '004-5.2-preregistered', '004-5.2-metadata-document', '004-5.2-dynamic');
    expect(await choose({ clientId: 'mine' }, true, DOCUMENT)).toEqual({
      clientId: 'mine',
      how: 'configured',
      asked: [],
    });
    expect(await choose({}, true, DOCUMENT)).toEqual({
      clientId: DOCUMENT,
      how: 'metadata-document',
      asked: [],
    });
    expect(await choose({}, true)).toEqual({
      clientId: 'registered',
      how: 'dynamic',
      asked: [`${ISSUER}/register`],
    });
  });

  it('registers if the authorization server does not support metadata documents', async () => {
    verifies('004-9.2-cimd-flag');
    expect(await choose({}, false, DOCUMENT)).toMatchObject({ clientId: 'registered', how: 'dynamic' });
    expect(await choose({}, true, DOCUMENT)).toMatchObject({ clientId: DOCUMENT });
  });
});

describe('the authentication method of a client', () => {
  it('with a secret is a supported one, HTTP Basic by default', () => {
    expect(methodWithSecret(undefined)).toBe('client_secret_basic');
    expect(methodWithSecret(['client_secret_post', 'client_secret_basic'])).toBe('client_secret_basic');
    expect(methodWithSecret(['client_secret_post'])).toBe('client_secret_post');
  });

  it('to register is "none" if supported', () => {
    expect(methodToRegister(undefined)).toBe('none');
    expect(methodToRegister(['client_secret_basic', 'none'])).toBe('none');
    expect(methodToRegister(['client_secret_post'])).toBe('client_secret_post');
  });

  it('after a registration is the returned one, if it is usable', () => {
    expect(methodGiven('client_secret_post', 's', undefined)).toBe('client_secret_post');
    expect(methodGiven('none', undefined, undefined)).toBe('none');
    expect(methodGiven('client_secret_basic', undefined, undefined)).toBe('none');
    expect(methodGiven(undefined, 's', ['client_secret_post'])).toBe('client_secret_post');
    expect(methodGiven('none', 's', ['none'])).toBe('none');
    expect(methodGiven('none', 's', ['client_secret_post'])).toBe('client_secret_post');
    expect(methodGiven('tls_client_auth', 's', undefined)).toBe('client_secret_basic');
  });
});
