// What a template is: its name, language and category.
import { Card } from '../../design/card.tsx';
import { textsOf } from '../../text/texts.ts';
import { categoryWord } from '../category-word.ts';
import { languageCodes, languageName } from './template-languages.ts';

export const categories = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const;
export type Category = (typeof categories)[number];

export interface Identity {
  name: string;
  language: string;
  category: Category;
}

interface Props {
  identity: Identity;
  onChange: (identity: Identity) => void;
  /** Name and language of an existing template stay. */
  isNew: boolean;
  mayChangeCategory: boolean;
}

export const isName = (name: string): boolean => /^[a-z0-9_]{1,512}$/.test(name);

export function IdentityCard({ identity, onChange, isNew, mayChangeCategory }: Props) {
  const text = textsOf('editor');
  const { name, language, category } = identity;
  const isWrong = name !== '' && !isName(name);
  return (
    <Card title={text('kind')}>
      <div className="identity-grid">
        <div>
          <label className="field-head" htmlFor="template-name">
            {text('name')}
          </label>
          <input
            id="template-name"
            className="input wide-input mono"
            dir="ltr"
            disabled={!isNew}
            maxLength={512}
            placeholder="visit_reminder"
            aria-describedby="template-name-note"
            aria-invalid={isWrong}
            value={name}
            onChange={({ target }) => onChange({ ...identity, name: target.value })}
          />
          <div id="template-name-note" className={`field-note ${isWrong ? 'bad-text' : ''}`}>
            {text('nameNote')}
          </div>
        </div>
        <div>
          <label className="field-head" htmlFor="template-language">
            {text('language')}
          </label>
          <select
            id="template-language"
            className="input wide-input"
            disabled={!isNew}
            value={language}
            onChange={({ target }) => onChange({ ...identity, language: target.value })}
          >
            {languageCodes.map((code) => (
              <option key={code} value={code}>
                {languageName(code)} {code}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label className="field-head" htmlFor="template-category">
            {text('category')}
          </label>
          <select
            id="template-category"
            className="input wide-input"
            disabled={!mayChangeCategory}
            value={category}
            onChange={({ target }) => onChange({ ...identity, category: target.value as Category })}
          >
            {categories.map((one) => (
              <option key={one} value={one}>
                {categoryWord(one)}
              </option>
            ))}
          </select>
          <div className="field-note">{text(`category_${category}`)}</div>
        </div>
      </div>
    </Card>
  );
}
