// One try of a delivery: what was sent and what the receiver answered, and the same as code to paste.
import { useState } from 'react';
import type { Attempt, DeliveryDetail } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { Code } from '../design/code.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Segments } from '../design/segments.tsx';
import { useCopied } from '../design/use-copied.ts';
import { usePageKeys } from '../design/use-page-keys.ts';
import { formatDuration, formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { curlOf, type Language, languages, verifying } from './snippets.ts';

type View = 'exchange' | 'curl' | Language;
const views: readonly View[] = ['exchange', 'curl', ...languages];

export function Exchange({ delivery, attempt }: { delivery: DeliveryDetail; attempt: Attempt }) {
  const text = textsOf('webhooks');
  const [view, show] = useState<View>('exchange');
  const common = textsOf('common');
  const { isCopied, copy } = useCopied();
  const { number, statusCode, failure, durationMs } = attempt;
  const copyCurl = () => {
    show('curl');
    void copy(curlOf(delivery, attempt));
  };
  usePageKeys([{ text: 'copyCurl', run: { y: copyCurl } }]);
  return (
    <Card
      title={text('tryNumber', { number })}
      note={[statusCode ?? failure, durationMs !== null && formatDuration(durationMs)]
        .filter(Boolean)
        .join(', ')}
      end={
        <div className="row wrap">
          <span role="status" className="note">
            {isCopied && common('copied')}
          </span>
          <Segments
            label={text('view')}
            values={views}
            chosen={view}
            wordOf={(one) =>
              one === 'exchange' ? text(one) : one === 'curl' ? one : text('verifyWith', { language: one })
            }
            onChoose={show}
          />
        </div>
      }
    >
      {view === 'exchange' ? (
        <div className="sides">
          <Sent delivery={delivery} attempt={attempt} />
          <Answer attempt={attempt} />
        </div>
      ) : (
        <Snippet
          key={view}
          note={text(view === 'curl' ? 'curlNote' : 'verifyNote')}
          code={view === 'curl' ? curlOf(delivery, attempt) : verifying[view]}
          label={view}
        />
      )}
    </Card>
  );
}

function Snippet({ note, code, label }: { note: string; code: string; label: string }) {
  const text = textsOf('webhooks');
  return (
    <div className="column">
      <div className="row">
        <span className="note grow">{note}</span>
        <CopyButton value={code} label={text('copy')} />
      </div>
      <Code label={label}>{code}</Code>
    </div>
  );
}

const forms = ['indented', 'exact'] as const;

/** What was sent: with line breaks to read, or byte for byte. */
export function Body({ body }: { body: string }) {
  const text = textsOf('webhooks');
  const [form, show] = useState<(typeof forms)[number]>('indented');
  return (
    <div className="column">
      <Segments
        label={text('view')}
        values={forms}
        chosen={form}
        wordOf={(one) => text(one)}
        onChoose={show}
      />
      <Code label={text(form)}>{form === 'indented' ? indented(body) : body}</Code>
      <p className="note small">
        {text('plainBytes', { count: formatNumber(new TextEncoder().encode(body).length) })}
      </p>
    </div>
  );
}

/** JSON with line breaks; as it is if it is none. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Sent({
  delivery: { body },
  attempt: { number, request, failure },
}: {
  delivery: DeliveryDetail;
  attempt: Attempt;
}) {
  const text = textsOf('webhooks');
  const { url, headers } = request;
  const signature = headers.find(({ name }) => name === 'x-webhook-signature');
  const isChanged = url === null || signature?.value === null;
  return (
    <div className="column">
      <div className="row">
        <h3 className="grow">{text('request')}</h3>
        <CopyButton value={body} label={text('copyBody')} />
      </div>
      <Code label={text('headersOf', { number })}>
        <span className="strong">{request.method}</span> {url ?? <Missing />}
        {headers.map(({ name, value }) => (
          <span key={name} className="header-line">
            <span className="muted">{name}:</span> {value ?? <Missing />}
          </span>
        ))}
      </Code>
      {isChanged && <p className="note small">{text('notKeptChanged')}</p>}
      {failure === null && <p className="note small">{text('notKeptTime')}</p>}
      <Body body={body} />
    </div>
  );
}

function Missing() {
  const text = textsOf('webhooks');
  return (
    <i className="note" dir="auto">
      {text('notKept')}
    </i>
  );
}

function Answer({ attempt: { number, detail, answer } }: { attempt: Attempt }) {
  const text = textsOf('webhooks');
  return (
    <div className="column">
      <h3 className="row">{text('answer')}</h3>
      {detail && (
        <p className="warn-text" dir="auto">
          {detail}
        </p>
      )}
      {answer ? (
        <Code label={text('answerOf', { number })}>{answer}</Code>
      ) : (
        <p className="muted">{text('noAnswer')}</p>
      )}
    </div>
  );
}
