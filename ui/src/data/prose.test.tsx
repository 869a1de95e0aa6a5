import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Prose } from './prose';

test('only known elements are made, whatever the text brings', () => {
  const { container } = render(<Prose label="Overview" html={'<h1>Title</h1><p onclick="alert(1)">Words <strong>matter</strong><script>alert(1)</script><img src=x onerror=alert(1)></p><a href="javascript:alert(1)">no</a><a href="https://example.org">yes</a><iframe src="https://example.org"></iframe><x-y>kept words</x-y>'} />);
  expect(container.querySelector('script, img, iframe, [onclick]')).toBeNull();
  expect([...container.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['https://example.org']);
  expect(screen.getByText('matter').tagName).toBe('STRONG');
  expect(screen.getByText('kept words').tagName).toBe('SPAN');
  expect(screen.getByText('Title').tagName).toBe('H2');
});
