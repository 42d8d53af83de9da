/** Nine misconfigured servers, each with a different mistake, and the expected reason and hint. */
import { stdioServer } from './servers.ts';

export interface WrongServer {
  config: object;
  /** The reported reason. */
  reason: RegExp;
  /** The next step for a person. */
  hint: RegExp;
}

const works = (settings: object): object => stdioServer({ tools: ['echo'] }, settings);

export const WRONG_SERVERS: Readonly<Record<string, WrongServer>> = {
  variable: {
    config: works({ env: { KEY: '$PINCER_TEST_NOT_SET' } }),
    reason: /servers\.variable\.env\.KEY refers to \$PINCER_TEST_NOT_SET, but .* is not set/,
    hint: /pincer secret set PINCER_TEST_NOT_SET/,
  },
  secret: {
    config: works({ env: { KEY: '$secret:NOT_THERE' } }),
    reason: /servers\.secret\.env\.KEY refers to \$secret:NOT_THERE, but the vault has no secret/,
    hint: /pincer secret set NOT_THERE/,
  },
  key: {
    config: works({ comand: 'x' }),
    reason: /servers\.key\.comand: unknown; did you mean "command"\?/,
    hint: /./,
  },
  type: {
    config: works({ requestTimeoutMs: 'soon' }),
    reason: /servers\.type\.requestTimeoutMs: must be a number/,
    hint: /./,
  },
  plain: {
    config: { url: 'http://example.com/mcp' },
    reason: /servers\.plain\.url: must be https/,
    hint: /./,
  },
  'bad name': {
    config: works({}),
    reason: /servers\.bad name: a server name is at most/,
    hint: /./,
  },
  agent: { config: works({}), reason: /servers\.agent: this name is reserved/, hint: /Rename|Correct/ },
  empty: { config: {}, reason: /servers\.empty\.url: an HTTP server needs a url/, hint: /./ },
  program: { config: { command: '/no/such/program' }, reason: /no such command/, hint: /./ },
};

export const wrongConfigs = (): Record<string, object> =>
  Object.fromEntries(Object.entries(WRONG_SERVERS).map(([name, { config }]) => [name, config]));
