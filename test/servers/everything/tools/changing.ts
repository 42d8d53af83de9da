/** Tools that change a list. */
import { change, type EverythingState } from '../state.ts';
import { text, type EverythingTool } from '../tool.ts';

export const TOOL_CHANGER = 'test_trigger_tool_change';

export const describeToolChanger = (state: EverythingState): string =>
  `Changes the list of tools, which so far has changed ${state.changes.tools} times`;

export const changingTools: EverythingTool[] = [
  {
    name: TOOL_CHANGER,
    description: describeToolChanger,
    run({ state }) {
      change(state, 'tools');
      return text('The list of tools has changed');
    },
  },
  {
    name: 'test_trigger_prompt_change',
    description: 'Changes the list of prompts',
    run({ state }) {
      change(state, 'prompts');
      return text('The list of prompts has changed');
    },
  },
];
