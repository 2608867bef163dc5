// Queries that several pages share. Keys begin with the kinds of the event stream; one key has one request.
import { queryOptions } from '@tanstack/react-query';
import type { PreviewTemplate } from '../../../client/src/generated.ts';
import { api } from './client.ts';

const listMax = 100;

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: () => api.listSenders({ limit: listMax }),
});

export const endpointsQuery = queryOptions({
  queryKey: ['endpoints'],
  queryFn: () => api.listEndpoints({ limit: listMax }),
});

/** Templates by which lists name theirs. */
export const templateNamesQuery = queryOptions({
  queryKey: ['templates', 'names'],
  queryFn: () => api.listTemplates({ limit: listMax }),
  staleTime: 60_000,
});

/** Templates that can be sent. */
export const sendableQuery = queryOptions({
  queryKey: ['templates', 'sendable'],
  queryFn: () => api.listTemplates({ status: 'approved', limit: listMax }),
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
