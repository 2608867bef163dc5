// The queries of templates that several pages share: one key has one request.
import { queryOptions } from '@tanstack/react-query';
import type { PreviewTemplate } from '../../../client/src/generated.ts';
import { api } from './client.ts';

/** Templates by which lists name theirs. */
export const templateNamesQuery = queryOptions({
  queryKey: ['templates', 'names'],
  queryFn: () => api.listTemplates({ limit: 100 }),
  staleTime: 60_000,
});

/** Templates that can be sent. */
export const sendableQuery = queryOptions({
  queryKey: ['templates', 'sendable'],
  queryFn: () => api.listTemplates({ status: 'approved', limit: 100 }),
});

export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ['templates', 'one', templateId],
    queryFn: () => api.getTemplate({ templateId }),
  });

/** A template as it arrives with this content; the one before stays until it is there. */
export const previewQuery = (templateId: string, content: PreviewTemplate) =>
  queryOptions({
    queryKey: ['templates', 'preview', templateId, content],
    queryFn: () => api.previewTemplate({ templateId, body: content }),
    placeholderData: (before) => before,
  });
