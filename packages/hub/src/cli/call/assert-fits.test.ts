import { expect, it } from 'vitest';
import { slipsIn } from '../commands/call.ts';

const SCHEMA = {
  type: 'object',
  properties: { format: { type: 'string' }, maxWidth: { type: 'integer' } },
  additionalProperties: {},
};

it.each([
  [{ format: 'png' }, []],
  [{ formt: 'png', maxWidth: 1 }, ['d.snap does not know "formt". Did you mean format?']],
  [{ somethingElse: 1 }, []],
])(
  'a name that the tool takes and does not know is told of where it is close to another: %j',
  (args, slips) => {
    expect(slipsIn(JSON.stringify(args), SCHEMA, 'd.snap')).toEqual(slips);
  },
);
