/** What a request is told that never became a call. */
import { RPC } from '../core/protocol.ts';
import type { RpcFailure } from './reply.ts';

export const NOT_JSON: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Content-Type must be application/json.',
  status: 415,
};
export const NO_SLOT: RpcFailure = {
  code: RPC.notExecuted,
  message: 'Too many calls are running. Nothing was run; try again in a moment.',
  status: 503,
};
export const NO_SESSION: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Unknown session: initialize again.',
  status: 404,
};
export const TOO_MANY_STREAMS: RpcFailure = {
  code: RPC.notExecuted,
  message: 'Too many streams are open. Close one, or try again in a moment.',
  status: 503,
};
export const NO_EVENTS: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Accept must list text/event-stream.',
  status: 406,
};
export const HAS_STREAM: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'The session has its stream open already.',
  status: 409,
};
/** 405: the only status after which the official SDK does not try again. */
export const STREAM_OVER: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'The stream has ended, and nothing of it is missing.',
  status: 405,
};
export const TOO_SLOW: RpcFailure = {
  code: RPC.notExecuted,
  message: 'The body took too long to arrive. Nothing was run.',
  status: 408,
};
export const WRONG_METHOD: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Use POST with a JSON-RPC message.',
  status: 405,
};
export const tooLarge = (maxBytes: number): RpcFailure => ({
  code: RPC.invalidRequest,
  message: `The body is larger than ${maxBytes} bytes.`,
  status: 413,
});
