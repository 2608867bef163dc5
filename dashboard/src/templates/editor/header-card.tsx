// The header of a draft: none, a text, a file or a place.
import { Card } from '../../design/card.tsx';
import { Segments } from '../../design/segments.tsx';
import { textsOf } from '../../text/texts.ts';
import { FileField } from '../file-field.tsx';
import { type DraftForm, headerKinds, variablesOf } from './draft-form.ts';
import { limits, type RuleProblem } from './draft-rules.ts';
import { Field } from './field.tsx';
import { ruleText } from './rule-text.ts';

interface Props {
  header: DraftForm['header'];
  problems: RuleProblem[];
  onChange: (header: DraftForm['header']) => void;
}

export function HeaderCard({ header, problems, onChange }: Props) {
  const text = textsOf('editor');
  const { kind } = header;
  const [variable] = variablesOf(header.text);
  const own = problems.filter(({ field }) => field === 'header');
  return (
    <Card
      title={text('header')}
      end={
        <Segments
          label={text('header')}
          values={headerKinds}
          chosen={kind}
          wordOf={(one) => text(`header_${one}`)}
          onChoose={(one) => onChange({ ...header, kind: one, mediaId: '' })}
        />
      }
    >
      {kind === 'none' && <p className="muted">{text('noHeader')}</p>}
      {kind === 'LOCATION' && <p className="muted">{text('locationHeader')}</p>}
      {kind === 'TEXT' && (
        <div className="column">
          <Field
            id="header-text"
            label={text('headerText')}
            value={header.text}
            problems={own}
            most={limits.header}
            note={text('headerNote')}
            onChange={(value) => onChange({ ...header, text: value })}
          />
          {variable && (
            <label className="row">
              <span className="mono note">{variable}</span>
              <input
                className="input grow"
                dir="auto"
                aria-label={text('exampleFor', { name: variable })}
                placeholder={text('example')}
                value={header.example}
                onChange={({ target }) => onChange({ ...header, example: target.value })}
              />
            </label>
          )}
        </div>
      )}
      {(kind === 'IMAGE' || kind === 'VIDEO' || kind === 'DOCUMENT') && (
        <>
          <FileField
            // another kind is another file
            key={kind}
            input={{
              ...{
                key: 'header',
                part: 'header',
                kind: 'media',
                required: true,
                example: null,
                maxLength: null,
              },
              media: kind === 'IMAGE' ? 'image' : kind === 'VIDEO' ? 'video' : 'document',
            }}
            isUploadOnly
            value={header.mediaId}
            onChange={(mediaId) => onChange({ ...header, mediaId })}
          />
          {own.map((problem) => (
            <p key={problem.rule} className="field-note">
              {ruleText(problem)}
            </p>
          ))}
        </>
      )}
    </Card>
  );
}
