// The HTTP server: what every request passes, and which module serves which path.
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Type } from 'typebox';
import { type Admission, type AdmitDeps, openAdmission } from './accounts/admit.ts';
import { type AccountRoutesDeps, accountRoutes } from './accounts/routes.ts';
import { type AppointmentRoutesDeps, appointmentRoutes } from './appointments/routes.ts';
import { actingAs } from './audit/actor.ts';
import { auditRoutes } from './audit/routes.ts';
import { AppError } from './base/errors.ts';
import { uuidv7 } from './base/ids.ts';
import type { Log } from './base/log.ts';
import type { Changes } from './changes/changes.ts';
import type { Role } from './config.ts';
import { operations } from './contract/operations.ts';
import { type ErasureRoutesDeps, erasureRoutes } from './erasure/routes.ts';
import { connectionRules } from './http/connections.ts';
import { allowOrigins } from './http/cors.ts';
import { readDashboard } from './http/dashboard-page.ts';
import { type HealthDeps, healthRoutes } from './http/health.ts';
import { idempotencyKeyOf } from './http/idempotency.ts';
import { compressedBody, readJson, unexpectedFields } from './http/json.ts';
import { hostProblem, malformedRequests } from './http/malformed-requests.ts';
import { knownPaths } from './http/methods.ts';
import { openapiRoutes, registerOpenapi } from './http/openapi.ts';
import { referencePage } from './http/reference-page.ts';
import { sendFailure, setCommonHeaders } from './http/reply.ts';
import type { Server } from './http/request.ts';
import { limitRequests, type RequestLimit } from './http/request-limit.ts';
import { requestLine, subjectField } from './http/request-line.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { responseSerializer } from './http/serialization.ts';
import { steadyRates } from './http/steady-rates.ts';
import { requestValidator } from './http/validation.ts';
import { type CallbackDeps, messagingCallbackRoutes } from './messaging/callback.ts';
import { type CampaignRoutesDeps, campaignRoutes } from './messaging/campaigns/routes.ts';
import { conversationRoutes } from './messaging/conversations/routes.ts';
import { type MediaRoutesDeps, mediaRoutes } from './messaging/media/routes.ts';
import { messagesRoutes } from './messaging/messages/routes.ts';
import { type OptOutRoutesDeps, optOutRoutes } from './messaging/opt-outs/routes.ts';
import { type ReceivedRoutesDeps, receivedRoutes } from './messaging/received/routes.ts';
import { type ReplyRoutesDeps, replyRoutes } from './messaging/replies/routes.ts';
import { type SenderRoutesDeps, senderRoutes } from './messaging/senders/routes.ts';
import { type SendingRoutesDeps, sendingRoutes } from './messaging/sending/routes.ts';
import type { TemplateEditingDeps } from './messaging/template-editing/delete.ts';
import { templateEditingRoutes } from './messaging/template-editing/routes.ts';
import { type TemplateRoutesDeps, templateRoutes } from './messaging/templates/routes.ts';
import { type OperatorRoutesDeps, operatorRoutes } from './operator/routes.ts';
import { type OverviewRoutesDeps, overviewRoutes } from './overview/routes.ts';
import { type RetentionRoutesDeps, retentionRoutes } from './retention/routes.ts';
import { type SandboxRoutesDeps, sandboxRoutes } from './sandbox-access/routes.ts';
import { type StatisticsRoutesDeps, statisticsRoutes } from './statistics/routes.ts';
import { type StreamRoutesDeps, streamRoutes } from './stream/routes.ts';
import { type EndpointRoutesDeps, endpointRoutes } from './webhooks/endpoints/routes.ts';
import { type DeliveryRoutesDeps, deliveryRoutes } from './webhooks/history/routes.ts';
import { replayRoutes } from './webhooks/replay/routes.ts';
import type { TestEventDeps } from './webhooks/test-event.ts';
import { testEventRoute } from './webhooks/test-event-routes.ts';

export type ServerDeps = AdmitDeps &
  AccountRoutesDeps &
  TemplateRoutesDeps &
  SendingRoutesDeps &
  TemplateEditingDeps &
  ReplyRoutesDeps &
  CampaignRoutesDeps &
  MediaRoutesDeps &
  ReceivedRoutesDeps &
  OptOutRoutesDeps &
  SenderRoutesDeps &
  CallbackDeps &
  EndpointRoutesDeps &
  DeliveryRoutesDeps &
  TestEventDeps &
  AppointmentRoutesDeps &
  StatisticsRoutesDeps &
  OverviewRoutesDeps &
  RetentionRoutesDeps &
  OperatorRoutesDeps &
  ErasureRoutesDeps &
  StreamRoutesDeps &
  SandboxRoutesDeps &
  HealthDeps & {
    /** True after a restore, until the gateway is released. */
    isHeld: () => boolean;
    log: Log;
    version: string;
    /** Receives every successful request that may change something. */
    changes: Pick<Changes, 'noteRequest'>;
    /** A worker serves only health and metrics. */
    role: Role;
    /** Shares rate counts between processes. */
    redis: RateLimitPluginOptions['redis'];
    corsOrigins: string[];
  };

/** The modules' routes. Every `/v1` route names the scope that the caller's key must have. */
function moduleRoutes(server: Server, deps: ServerDeps, admission: Admission): void {
  accountRoutes(server, deps, admission); // /v1/keys  /v1/session(s)  /v1/dashboard-links
  templateRoutes(server, deps); //           /v1/templates
  sendingRoutes(server, deps); //            /v1/templates/send  /v1/messages/:id/resend
  messagesRoutes(server, deps); //           /v1/messages  /v1/statistics/failures
  templateEditingRoutes(server, deps); //    /v1/templates/:id  (create, edit, submit, delete)
  campaignRoutes(server, deps); //           /v1/sends
  replyRoutes(server, deps); //              /v1/messages/reply
  receivedRoutes(server, deps); //           /v1/messages/received
  conversationRoutes(server, deps); //       /v1/contacts
  optOutRoutes(server, deps); //             /v1/opt-outs
  mediaRoutes(server, deps); //              /v1/templates/media  /v1/media
  senderRoutes(server, deps); //             /v1/senders
  appointmentRoutes(server, deps); //        /v1/appointments  /callbacks/calendar
  endpointRoutes(server, deps); //           /v1/webhooks/endpoints
  testEventRoute(server, deps); //           /v1/webhooks/endpoints/:id/test
  replayRoutes(server, deps); //             /v1/webhooks/endpoints/:id/replay(s), deliveries/:id/replay
  deliveryRoutes(server, deps); //           /v1/webhooks/deliveries
  statisticsRoutes(server, deps); //         /v1/statistics
  auditRoutes(server, deps); //              /v1/audit
  retentionRoutes(server, deps); //          /v1/retention
  erasureRoutes(server, deps); //            /v1/contacts/erase
  streamRoutes(server, deps); //             /v1/events/stream
  overviewRoutes(server, deps); //           /v1/overview
  operatorRoutes(server, deps); //           /v1/operator
  sandboxRoutes(server, deps); //            /sandbox  (only where the gateway runs its sandbox)
  messagingCallbackRoutes(server, deps); //  /callbacks/messaging  (signed by the platform)
  healthRoutes(server, deps); //             /health  /metrics
}

const isChange = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const bodyMaxBytes = 1024 * 1024;

/** Builds the server. The caller calls `listen`. */
export async function buildServer(deps: ServerDeps): Promise<Server> {
  const server: Server = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: (request) => {
      const sent = request.headers['x-request-id'];
      return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : uuidv7();
    },
    // a child logger per request would process the redaction list again (measured: 3 % of the gateway's time under load);
    // the few lines about a request include its id themselves
    childLoggerFactory: (logger) => logger,
    bodyLimit: bodyMaxBytes,
    // with Node's default of 5 s, connections close while the platforms' clients reuse them
    keepAliveTimeout: 60_000,
    requestTimeout: 600_000,
    trustProxy: deps.trustedProxies.length > 0 ? deps.trustedProxies : false,
    // a connection without complete headers is closed after 20 to 25 s
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // requests on open connections are still served while the server closes
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    ...malformedRequests,
  });
  server.setValidatorCompiler(requestValidator());
  server.setSerializerCompiler(responseSerializer());
  const dashboard = deps.role === 'worker' ? undefined : readDashboard(deps.sandbox !== undefined);
  server.setErrorHandler((error, request, reply) =>
    dashboard?.sendToLost(request, reply) ? reply : sendFailure(error, request, reply),
  );
  connectionRules(server, deps.isDraining);
  readJson(server);
  const limit = limitRequests(server);
  const paths = knownPaths();
  server.addHook('onRoute', (route) => {
    paths.add(route.method, route.url);
    if (!route.url.startsWith('/v1/')) return;
    if (!route.config?.scope) throw new Error(`${route.url} names no scope`);
    // reject unknown query parameters, also on routes without parameters
    route.config.isRejectedWhileHeld = isRejectedWhileHeld(route);
    route.config.subject ??= subjectField(route.url);
    route.schema = { querystring: Type.Object({}, { additionalProperties: false }), ...route.schema };
  });
  const noRouteError = (request: FastifyRequest): AppError => {
    const methods = paths.methodsOf(request.url);
    return methods.length > 0 ? methodNotAllowed(request, methods) : notFound(request);
  };
  server.setNotFoundHandler((request) => {
    throw noRouteError(request);
  });
  server.addHook('onError', async (_request, reply, error) => {
    const allow = error instanceof AppError ? error.details.extra?.allow : undefined;
    if (Array.isArray(allow)) reply.header('Allow', allow.join(', '));
  });
  await addSecurityHeaders(server);
  if (deps.corsOrigins.length > 0) await allowOrigins(server, deps.corsOrigins, noRouteError);
  const admission = await everyRequest(server, deps, noRouteError, limit);
  await registerOpenapi(server, deps.version);
  if (dashboard) {
    moduleRoutes(server, deps, admission);
    await dashboard.serve(server);
  } else healthRoutes(server, deps);
  await referencePage(server, openapiRoutes(server));
  return server;
}

/** True for operations that would send or book: the contract says that they return `held`. */
function isRejectedWhileHeld({ method, url }: { method: string | string[]; url: string }): boolean {
  const path = url.replaceAll(/:(\w+)/g, '{$1}');
  return [method].flat().some((one) => operations[`${one} ${path}`]?.errors?.includes('held'));
}

const held = () =>
  new AppError(
    'held',
    'The gateway was restored from a backup and is held: it neither sends nor books until the operator releases it. Retry later.',
    { retryAfterSeconds: 60 },
  );

function notFound(request: FastifyRequest): AppError {
  return new AppError(
    'not_found',
    `${request.method} ${request.url.split('?')[0]} does not exist. See /docs.`,
  );
}

function methodNotAllowed(request: FastifyRequest, allow: string[]): AppError {
  return new AppError(
    'method_not_allowed',
    `${request.method} is not allowed here; use ${allow.join(' or ')}.`,
    {
      extra: { allow },
    },
  );
}

/** Adds the checks of every request, in order: its id, key, scope and rate; after parsing, its Idempotency-Key. */
async function everyRequest(
  server: Server,
  deps: ServerDeps,
  noRouteError: (request: FastifyRequest) => AppError,
  limit: RequestLimit,
): Promise<Admission> {
  await server.register(rateLimit, {
    global: false,
    skipOnError: true,
    ...(deps.redis ? { redis: deps.redis } : { store: steadyRates(deps.clock) }),
  });
  const admission = openAdmission(server, deps);
  server.decorateRequest('caller');
  server.decorateRequest('idempotencyKey');
  server.decorateRequest('subjectId');
  server.decorateRequest('errorCode');

  // no promise for routes without a scope: thousands of platform callbacks a second pass here
  server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    setCommonHeaders(request, reply);
    // respond before the body is read: this request is not authenticated
    const error = request.is404 ? noRouteError(request) : hostProblem(request);
    if (error) return done(error);
    const { scope, isRejectedWhileHeld } = request.routeOptions.config;
    if (!scope) return done();
    limit
      .bound(reply, admission.admit(request, reply, scope))
      .then(() => done(isRejectedWhileHeld && deps.isHeld() ? held() : compressedBody(request)), done);
  });

  server.addHook('preHandler', (request: FastifyRequest, _reply, done) => {
    const { caller } = request;
    if (!caller || !isChange(request.method)) return done();
    const { kind, id, name } = caller;
    actingAs({ kind, id, name, address: request.ip }, done);
  });

  server.addHook('preValidation', (request: FastifyRequest, _reply, done) => {
    const { idempotency } = request.routeOptions.config;
    if (idempotency)
      request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'], idempotency);
    // a PUT replaces what is there, so that a forgotten body must not count as an empty one
    if (request.routeOptions.schema?.body && request.method !== 'PUT') request.body ??= {};
    done(request.routeOptions.config.scope ? unexpectedFields(request) : undefined);
  });

  // these lines contain no text of the caller except the checked request id, so redaction is off: it took a third of the
  // gateway's time under small requests
  const requestLog = deps.log.child({}, { redact: [] });
  server.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const seconds = reply.elapsedTime / 1000;
    if (!request.routeOptions.config.isEndless)
      deps.metrics.requests.observe({ method: request.method, route, status: reply.statusCode }, seconds);
    const { caller } = request;
    if (caller && isChange(request.method) && reply.statusCode < 300)
      deps.changes.noteRequest(caller.accountId, route);
    if (request.routeOptions.config.scope) requestLog.info(requestLine(request, reply), 'request.done');
    else if (requestLog.isLevelEnabled('debug'))
      requestLog.debug(requestLine(request, reply), 'request.done');
    done();
  });
  return admission;
}
