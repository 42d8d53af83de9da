/** Tools with unusual schemas. */
import { text, type EverythingTool } from '../tool.ts';

export const schemaTools: EverythingTool[] = [
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has keywords of JSON Schema 2020-12 in its schema',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: ({ args }) => text(`Called with ${JSON.stringify(args)}`),
  },
  {
    name: 'test_x_mcp_header',
    description: 'Wants its region in a header as well',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        level: { type: 'integer' },
      },
    },
    run: ({ args }) => text(JSON.stringify(args)),
  },
];
