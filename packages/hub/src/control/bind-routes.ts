/** Connects handlers to the contract: a handler gets a validated request and returns the response of its route. */
import { z } from 'zod';
import { PincerError } from '../core/errors.ts';
import {
  CONTRACT,
  type ControlRoute,
  type EventOf,
  type ParsedRequest,
  type ResponseOf,
  type RouteSchemas,
} from './contract/contract.ts';

/** A request before validation. */
export interface UnreadRequest {
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Aborted if the client disconnects before the answer. */
  readonly signal: AbortSignal;
  /** Sends an event before the answer, if the client listens. */
  tell(event: object): void;
}

interface HandledRequest<Route extends ControlRoute> extends ParsedRequest<Route> {
  readonly signal: AbortSignal;
  tell(event: EventOf<Route>): void;
}

/** A handler without a result answers `null`. */
type Result<Route extends ControlRoute> = ResponseOf<Route> extends null ? void : ResponseOf<Route>;

type Handlers<Routes extends ControlRoute> = {
  readonly [Route in Routes]: (request: HandledRequest<Route>) => Result<Route> | Promise<Result<Route>>;
};

export type BoundRoutes<Routes extends ControlRoute> = {
  readonly [Route in Routes]: (request: UnreadRequest) => unknown;
};

export function bindRoutes<Routes extends ControlRoute>(handlers: Handlers<Routes>): BoundRoutes<Routes> {
  const bind = (route: Routes) => {
    const { query, body }: RouteSchemas = CONTRACT[route];
    return (request: UnreadRequest): unknown => {
      // If a parameter is repeated, the first one applies.
      const parameters = Object.fromEntries([...request.query].toReversed());
      const parsed = {
        query: query && read(query, parameters),
        body: body && read(body, request.body),
        signal: request.signal,
        tell: (event: object) => request.tell(event),
      };
      // Parsed by the schemas of this route, which the compiler cannot follow.
      return handlers[route](parsed as HandledRequest<Routes>);
    };
  };
  const routes = Object.keys(handlers) as Routes[];
  return Object.fromEntries(routes.map((route) => [route, bind(route)])) as BoundRoutes<Routes>;
}

function read(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PincerError('USAGE', `The request is invalid: ${z.prettifyError(parsed.error)}`);
}
