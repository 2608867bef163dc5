// The template for programs: a send of it as a request to paste, with the examples of the review.
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { Code } from '../design/code.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Table } from '../design/table.tsx';
import { textsOf } from '../text/texts.ts';
import { contentOf, examplesOf, type Typed } from './values.ts';

/** Text for a shell's single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A value for every input that has no example. */
const filled = ({ inputs }: TemplateDetail): Typed => ({
  ...Object.fromEntries(inputs.filter(({ required }) => required).map(({ key }) => [key, `<${key}>`])),
  ...examplesOf(inputs),
});

export function TemplateApi({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const { _id: templateId, inputs } = template;
  const body = {
    templateId,
    recipients: [{ phone: '15550100001', ...contentOf(inputs, filled(template)) }],
  };
  const curl = [
    `curl -s ${location.origin}/v1/templates/send`,
    '-H "X-API-Key: $KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
  return (
    <>
      <Card
        title={text('apiSend')}
        note={text('apiSendNote')}
        end={<CopyButton value={curl} label={text('copyCurl')} />}
      >
        <div className="column">
          <div className="row wrap">
            <span className="muted">templateId</span>
            <IdChip value={templateId} label="templateId" keep={40} />
          </div>
          <Code label="curl">{curl}</Code>
        </div>
      </Card>
      {inputs.length > 0 && (
        <Card title={text('apiInputs')} note={text('apiInputsNote')} isPadded={false}>
          <Table
            columns={[
              { label: text('apiKey'), widthPx: 240 },
              { label: text('apiKind'), widthPx: 120 },
              { label: text('apiRequired'), widthPx: 120 },
              { label: text('apiLength'), widthPx: 140, isFigure: true },
              { label: text('apiExample') },
            ]}
          >
            {inputs.map(({ key, kind, required, maxLength, example }) => (
              <tr key={key}>
                <td className="mono strong" dir="ltr">
                  {key}
                </td>
                <td className="mono muted">{kind}</td>
                <td className="muted wide-only">{text(required ? 'apiYes' : 'optional')}</td>
                <td className="figure number muted wide-only">{maxLength ?? '–'}</td>
                <td className="muted full" dir="auto">
                  {example ?? '–'}
                </td>
              </tr>
            ))}
          </Table>
        </Card>
      )}
    </>
  );
}
