/** A default for each kind of field (SEP-1034). */
export const DEFAULTS_FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'A name', default: 'John Doe' },
    age: { type: 'integer', description: 'Years', default: 30 },
    score: { type: 'number', description: 'Points', default: 95.5 },
    status: {
      type: 'string',
      description: 'A state',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean', description: 'Yes or no', default: true },
  },
  required: [],
};

const plain = ['option1', 'option2', 'option3'];
const titled = (kind: string): object[] =>
  ['First', 'Second', 'Third'].map((ordinal, at) => ({
    const: `value${at + 1}`,
    title: `${ordinal} ${kind}`,
  }));

/** Each way to write an enumeration (SEP-1330). */
export const ENUMS_FORM = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
  required: [],
};
