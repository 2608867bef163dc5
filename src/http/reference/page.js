// Corrects what Swagger UI leaves unnamed or nested, each time it draws: for keyboards and screen readers.
(() => {
  // earlier versions of this page kept the API key here
  localStorage.removeItem('authorized');

  const each = (selector, change) => {
    for (const element of document.querySelectorAll(selector)) change(element);
  };
  const set = (element, name, value) => {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  };

  const region = (element, name) => {
    set(element, 'role', 'region');
    set(element, 'aria-label', name);
  };

  function correct() {
    each('.information-container', (one) => region(one, 'About'));
    each('.schemes-server-container', (one) => region(one, 'Servers'));
    each('.opblock-tag, .models > h4', (one) => set(one, 'aria-level', '2'));
    each('.opblock-body h4, .opblock-body h5', (one) => set(one, 'aria-level', '3'));
    each('.opblock-summary-control a', (one) => one.removeAttribute('href'));
    each('pre.microlight, .opblock-body .highlight-code pre', (one) => set(one, 'tabindex', '0'));
    each('table[role=region]', (one) =>
      set(one, 'aria-label', `Responses of ${one.closest('.opblock')?.id ?? 'the operation'}`),
    );
    each('#servers', (one) => set(one, 'aria-label', 'Server'));
    each('select.examples-select-element', (one) => set(one, 'aria-label', 'Example'));
    each('select.content-type', (one) => set(one, 'aria-label', 'Media type'));
    each('.opblock-body select:not([aria-label])', (one) => set(one, 'aria-label', 'Value'));
    each('.opblock-body textarea:not([aria-label])', (one) => set(one, 'aria-label', 'Body'));
    each('.opblock-body input:not([aria-label])', (one) =>
      set(one, 'aria-label', one.getAttribute('placeholder') || 'Value'),
    );
  }

  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      correct();
    });
  }).observe(document.documentElement, { childList: true, subtree: true });
  correct();
})();
