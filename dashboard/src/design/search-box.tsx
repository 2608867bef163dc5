// The search of a page. `/` goes to it.
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import type { RefObject } from 'react';
import { Form } from './form.tsx';

interface Props {
  inputRef: RefObject<HTMLInputElement | null>;
  /** What is searched for now, from the address. */
  value: string;
  label: string;
  onSearch: (typed: string) => void;
}

export function SearchBox({ inputRef, value, label, onSearch }: Props) {
  return (
    <Form className="search-form" onSubmit={() => onSearch(inputRef.current?.value.trim() ?? '')}>
      <label className="search">
        <IconSearch size={15} aria-hidden />
        <input
          // another search in the address replaces what was typed
          key={value}
          ref={inputRef}
          defaultValue={value}
          placeholder={label}
          aria-label={label}
        />
        <kbd className="wide-only letter-key">/</kbd>
      </label>
    </Form>
  );
}
