/** What a token request carries so that the authorization server knows which client asks (RFC 6749 §2.3, RFC 7523). Pure. */
import { randomUUID } from 'node:crypto';
import type { Client } from '../grant.ts';
import { signJwt, type SigningKey } from '../token/jwt.ts';

export interface ClientProof {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

export interface ProofParts {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Whom the proof is for: the issuer. */
  readonly audience: string;
  readonly key?: SigningKey | undefined;
}

const ASSERTION_SECONDS = 60;

export function clientProof(client: Client, { now, audience, key }: ProofParts): ClientProof {
  const { clientId, clientSecret = '', authMethod } = client;
  switch (authMethod) {
    case 'none':
      return { headers: {}, params: { client_id: clientId } };
    case 'client_secret_post':
      return { headers: {}, params: { client_id: clientId, client_secret: clientSecret } };
    case 'client_secret_basic': {
      const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
      return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, params: {} };
    }
    case 'private_key_jwt': {
      if (key === undefined) throw new TypeError('a client with private_key_jwt has a key');
      const iat = Math.floor(now / 1_000);
      const claims = {
        iss: clientId,
        sub: clientId,
        aud: audience,
        jti: randomUUID(),
        iat,
        exp: iat + ASSERTION_SECONDS,
      };
      return {
        headers: {},
        params: {
          client_id: clientId,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: signJwt(key, { typ: 'JWT' }, claims),
        },
      };
    }
  }
}

/** RFC 6749 appendix B. */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
