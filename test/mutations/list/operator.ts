// Mutations of what an operator sees: metrics, findings, timelines.
import type { Mutation } from '../mutation.ts';

const figures = 'src/operator/figures.ts';
const store = 'src/operator/figures-store.ts';
const gauges = 'src/operator/figure-gauges.ts';
const tests = ['test/db/figures.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'figures that could not be read keep their last values',
    file: figures,
    find: `    } catch {
      gauges.clear();`,
    replace: `    } catch {
      // kept`,
    tests,
  },
  {
    name: 'each reader of the metrics asks the database again',
    file: figures,
    find: 'if (!reading && now() < nextAtMs) return;',
    replace: 'if (!reading && now() < 0) return;',
    tests,
  },
  {
    name: 'figures count every row of a queue',
    file: store,
    find: 'order by m.due_at limit ${share',
    replace: 'order by m.due_at limit 1000000000 + ${share',
    tests,
  },
  {
    name: 'every sender gets labels in the metrics',
    file: gauges,
    find: '.slice(0, listedMax)',
    replace: '.slice(0)',
    tests,
  },
  {
    name: 'slow readings of figures follow each other without a pause',
    file: figures,
    find: 'readAtMs + Math.max(freshMs, tookMs * restFactor)',
    replace: 'readAtMs + freshMs',
    tests,
  },
  {
    name: 'a key with every scope sees the health of the gateway',
    file: 'src/operator/routes.ts',
    find: 'config: { scope: operatorScope }',
    replace: "config: { scope: 'manage' }",
    tests: ['test/api/operator.test.ts'],
  },
  {
    name: 'doctor accepts a file that the object store changed',
    file: 'src/operator/findings.ts',
    find: 'return read?.equals(content) === true;',
    replace: 'return read !== null;',
    tests: ['test/api/operator.test.ts'],
  },
  {
    name: 'doctor leaves its file in the object store',
    file: 'src/operator/findings.ts',
    find: '  await store.delete(key);\n',
    replace: '',
    tests: ['test/api/operator.test.ts'],
  },
  {
    name: 'a timeline has no process of a message whose insert began its dispatch',
    file: 'src/messaging/messages/leased-by.ts',
    find: ' ? leasedBy : ~leasedBy',
    replace: ' ? leasedBy : null',
    tests: ['test/api/operator.test.ts'],
  },
  {
    name: 'a timeline has whole phone numbers',
    file: 'src/operator/trace.ts',
    find: 'phone.slice(-4)',
    replace: 'phone',
    tests: ['test/api/operator.test.ts'],
  },
  {
    name: 'a log line has any text of X-Forwarded-For',
    file: 'src/http/request-line.ts',
    find: "isIP(ip) === 0 ? 'invalid' : ip",
    replace: 'ip',
    tests: ['test/api/operator.test.ts'],
  },
  {
    name: 'a receiver cannot continue the trace of a webhook',
    file: 'src/webhooks/delivery/attempt.ts',
    find: '...(traceparent === undefined ? {} : { traceparent }),',
    replace: '',
    tests: ['test/journeys/traces.test.ts'],
  },
  {
    name: 'a send is not the parent of the other spans of its message',
    file: 'src/adapters/opentelemetry/tracing.ts',
    find: "isRoot ? rootSpanIdOf(subjectId) : (spanId ?? '')",
    replace: "spanId ?? ''",
    tests: ['test/journeys/traces.test.ts'],
  },
  {
    name: 'the events of a booking are not in its trace',
    file: 'src/webhooks/delivery/delivery.ts',
    find: "typeof data?.bookingId === 'string' ? data.bookingId : subjectId",
    replace: 'subjectId',
    tests: ['test/journeys/traces.test.ts'],
  },
  {
    name: 'a request for an unknown booking adds a span to a trace',
    file: 'src/appointments/booking/traced-steps.ts',
    find: 'if (error !== notFoundCode)',
    replace: '',
    tests: ['test/journeys/traces.test.ts'],
  },
  {
    name: 'messages of a campaign have no first span',
    file: 'src/messaging/campaigns/feed.ts',
    find: 'deps.tracing !== undefined && wasDraft(send)',
    replace: 'false',
    tests: ['test/journeys/traces.test.ts'],
  },
  {
    name: 'the calls of a calendar are not in the trace of the booking',
    file: 'src/appointments/booking/traced-steps.ts',
    find: 'if (!traceCalendar) return connection;',
    replace: 'return connection;',
    tests: ['test/journeys/traces.test.ts'],
  },
  {
    name: 'the trace of a resent message does not lead to the failed one',
    file: 'src/messaging/sending/resend-routes.ts',
    find: 'rootSpanOf(messageId), ',
    replace: '',
    tests: ['test/journeys/traces.test.ts'],
  },
];
