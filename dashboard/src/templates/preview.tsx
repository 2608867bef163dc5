// The values of a template, the phone that shows them, and a test.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { previewQuery } from '../api/templates.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { PhonePreview } from '../design/phone-preview.tsx';
import { type Scheme, useScheme } from '../design/scheme.ts';
import { Segments } from '../design/segments.tsx';
import { useSettled } from '../design/use-settled.ts';
import { useMay, useSession } from '../session/session.tsx';
import { direction as pageDirection } from '../text/language.ts';
import { textsOf } from '../text/texts.ts';
import { SendTest } from './send-test.tsx';
import { ValueForm } from './value-form.tsx';
import { contentOf, examplesOf, type Typed } from './values.ts';

const previewAfterMs = 150;

export function Preview({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const { account } = useSession();
  const [typed, setTyped] = useState<Typed>({});
  const pageScheme = useScheme();
  const [scheme, setScheme] = useState<Scheme>();
  const [direction, setDirection] = useState<'ltr' | 'rtl'>(pageDirection);
  const settled = useSettled(typed, previewAfterMs);
  const content = contentOf(template.inputs, settled);
  const { data: preview, error } = useQuery(previewQuery(template._id, content));
  const maySend = useMay('messages:send');
  return (
    <div className="columns preview-columns">
      <div className="column loose">
        <Card
          title={text('values')}
          note={text('valuesNote')}
          end={
            <Button kind="quiet" onClick={() => setTyped(examplesOf(template.inputs))}>
              {text('useExamples')}
            </Button>
          }
        >
          <ValueForm
            inputs={template.inputs}
            typed={typed}
            problems={preview?.errors ?? []}
            onChange={setTyped}
          />
        </Card>
        {maySend && template.status === 'approved' && (
          <SendTest template={template} content={content} missing={preview?.errors.length ?? 0} />
        )}
      </div>
      <div className="column">
        <div className="row wrap">
          <Segments
            label={text('appearance')}
            values={['light', 'dark'] as const}
            chosen={scheme ?? pageScheme}
            wordOf={(one) => text(one)}
            onChoose={setScheme}
          />
          <Segments
            label={text('direction')}
            values={['ltr', 'rtl'] as const}
            chosen={direction}
            wordOf={(one) => text(one)}
            onChoose={setDirection}
          />
        </div>
        {error && <ErrorNote error={error} />}
        {preview && (
          <PhonePreview
            parts={preview}
            from={account.name}
            note={text('businessAccount')}
            at={new Date().toISOString()}
            scheme={scheme ?? pageScheme}
            direction={direction}
          />
        )}
        <p className="small note">{text('picture')}</p>
      </div>
    </div>
  );
}
