// The choice of a template: those that can be sent now.
import IconTemplate from '@tabler/icons-react/dist/esm/icons/IconTemplate.mjs';
import type { Template } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { EmptyState } from '../design/messages.tsx';
import { bodyOf } from '../templates/template-state.ts';
import { TextWithGaps } from '../templates/text-with-gaps.tsx';
import { textsOf } from '../text/texts.ts';

interface Props {
  templates: Template[];
  isLoaded: boolean;
  chosenId: string | undefined;
  onChoose: (id: string) => void;
  typed: string;
  onType: (typed: string) => void;
}

export function TemplateChoice({ templates, isLoaded, chosenId, onChoose, typed, onType }: Props) {
  const text = textsOf('sends');
  return (
    <Card
      title={text('template')}
      isPadded={false}
      end={
        <input
          className="input"
          type="search"
          aria-label={text('searchTemplates')}
          placeholder={text('searchTemplates')}
          value={typed}
          onChange={({ target }) => onType(target.value)}
        />
      }
    >
      <fieldset className="choices" aria-label={text('template')}>
        {templates.map((template) => (
          <label key={template._id} className="choice">
            <input
              type="radio"
              name="template"
              checked={template._id === chosenId}
              onChange={() => onChoose(template._id)}
            />
            <span className="grow">
              <span className="row wrap">
                <span className="mono strong" dir="ltr">
                  {template.providerTemplateName}
                </span>
                <span className="note small">{template.language}</span>
              </span>
              <span className="cut muted choice-text" dir="auto">
                <TextWithGaps text={bodyOf(template)} />
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      {isLoaded && templates.length === 0 && (
        <EmptyState
          icon={<IconTemplate size={20} aria-hidden />}
          title={text('noTemplate')}
          text={text('noTemplateText')}
        />
      )}
    </Card>
  );
}
