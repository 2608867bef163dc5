// The start of the page: texts and session first, then the page of the address, or signing in.
import '@fontsource-variable/inter/wght.css';
import '@fontsource/jetbrains-mono/latin-400.css';
import './design/tokens.css';
import './design/base.css';
import './design/card.css';
import './design/forms.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { openQueries } from './api/queries.ts';
import { App } from './app.tsx';
import { followScheme } from './design/scheme.ts';
import { preloadPage } from './router.tsx';
import { sessionQuery } from './session/session.tsx';
import { direction, language } from './text/language.ts';
import { loadTexts } from './text/texts.ts';

document.documentElement.lang = language;
document.documentElement.dir = direction;
followScheme();

const queries = openQueries(() => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }));
const root = document.getElementById('root');
if (!root) throw new Error('no root');

// people write in every script; the browser loads a font only where its characters occur
void import('@fontsource/noto-sans-arabic/400.css');
void import('@fontsource/noto-sans-devanagari/400.css');

// together: on a slow line each answer takes as long as all of them
void queries.prefetchQuery(sessionQuery);
preloadPage();
// not awaited at the top level: the modules of other files import this one, and would wait for it for ever
void loadTexts('common', 'shell', 'states', 'signIn').then(() =>
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  ),
);
