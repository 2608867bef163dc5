// Traces by OpenTelemetry, sent to a collector by OTLP over HTTP in JSON. Loaded only if an endpoint is configured.
import { randomBytes } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { rootSpanIdOf, traceIdOf } from '../../base/trace-ids.ts';
import type { FinishedSpan, Tracing } from '../../ports/tracing.ts';

export interface OpenTelemetryOptions {
  /** The collector's address, without `/v1/traces`. */
  endpoint: string;
  version: string;
  /** Distinguishes processes. */
  instance: string;
}

const exportMs = 5_000;
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
} as const;

/** Spans get the ids that are set for the next one, else random ones. */
function openIds() {
  const next = { traceId: '', spanId: '' };
  return {
    next,
    generateTraceId: () => next.traceId || randomBytes(16).toString('hex'),
    generateSpanId: () => next.spanId || randomBytes(8).toString('hex'),
  };
}

/** Holds the first spans of the messages of a campaign's turn (`campaigns/feed.ts`), about 30 MB. */
const queuedSpansMax = 20_480;

/** Opens the exporter. Sends spans every second; those that its queue has no room for are dropped. */
export function openTelemetryTracing({ endpoint, version, instance }: OpenTelemetryOptions): Tracing {
  const ids = openIds();
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: exportMs,
  });
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({
      'service.name': 'chatbot-gateway',
      'service.version': version,
      'service.instance.id': instance,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: exportMs,
        maxQueueSize: queuedSpansMax,
      }),
    ],
  });
  const tracer = provider.getTracer('chatbot-gateway', version);

  function record({
    subjectId,
    spanId,
    isRoot,
    name,
    kind,
    startMs,
    endMs,
    attributes,
    error,
    links = [],
  }: FinishedSpan) {
    const traceId = traceIdOf(subjectId);
    const traceFlags = TraceFlags.SAMPLED;
    const parent = { traceId, spanId: rootSpanIdOf(subjectId), traceFlags, isRemote: true };
    ids.next.traceId = traceId;
    ids.next.spanId = isRoot ? rootSpanIdOf(subjectId) : (spanId ?? '');
    const span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        startTime: startMs,
        ...(attributes ? { attributes } : {}),
        links: links
          .filter((link) => link !== undefined)
          .map((link) => ({ context: { ...link, traceFlags, isRemote: true } })),
      },
      isRoot ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(Math.max(startMs, endMs));
  }

  return {
    record,
    async close() {
      await provider.shutdown().catch(() => undefined);
    },
  };
}
