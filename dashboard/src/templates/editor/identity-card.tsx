// What a template is: its name, language and category.
import { Card } from '../../design/card.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { TextField } from '../../design/text-field.tsx';
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
        <TextField
          id="template-name"
          label={text('name')}
          className="mono"
          dir="ltr"
          disabled={!isNew}
          maxLength={512}
          placeholder="visit_reminder"
          note={text('nameNote')}
          isWrong={isWrong}
          value={name}
          onChange={(typed) => onChange({ ...identity, name: typed })}
        />
        <SelectField
          label={text('language')}
          disabled={!isNew}
          value={language}
          onChange={(code) => onChange({ ...identity, language: code })}
        >
          {languageCodes.map((code) => (
            <option key={code} value={code}>
              {languageName(code)} {code}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={text('category')}
          note={text(`category_${category}`)}
          disabled={!mayChangeCategory}
          value={category}
          onChange={(chosen) => onChange({ ...identity, category: chosen as Category })}
        >
          {categories.map((one) => (
            <option key={one} value={one}>
              {categoryWord(one)}
            </option>
          ))}
        </SelectField>
      </div>
    </Card>
  );
}
