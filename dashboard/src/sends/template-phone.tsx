// The template of a campaign as it arrives: with its examples, or with the values of a row.
import { useQuery } from '@tanstack/react-query';
import type { PreviewTemplate } from '../../../client/src/generated.ts';
import { previewQuery, templateQuery } from '../api/templates.ts';
import { ErrorNote } from '../design/messages.tsx';
import { PhonePreview } from '../design/phone-preview.tsx';
import { useSession } from '../session/session.tsx';
import { contentOf, examplesOf } from '../templates/values.ts';
import { textsOf } from '../text/texts.ts';

export function ExamplePhone({ templateId }: { templateId: string }) {
  const text = textsOf('sends');
  const { data } = useQuery(templateQuery(templateId));
  if (!data) return null;
  return (
    <>
      <TemplatePhone templateId={templateId} content={contentOf(data.inputs, examplesOf(data.inputs))} />
      <p className="small note">{text('examplePhone')}</p>
    </>
  );
}

/** The phone with what is wrong with the content, if it cannot be sent. */
export function TemplatePhone({ templateId, content }: { templateId: string; content: PreviewTemplate }) {
  const text = textsOf('sends');
  const { account } = useSession();
  const { data, error } = useQuery(previewQuery(templateId, content));
  if (error) return <ErrorNote error={error} />;
  if (!data) return null;
  return (
    <PhonePreview
      parts={data}
      from={account.name}
      note={text('businessAccount')}
      at={new Date().toISOString()}
    />
  );
}
