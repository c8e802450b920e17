"""The chat template of the parrot model: reads the script in the last user message and lays out the text to be said.

Its outer form is ChatML with `<think>` and `<tool_call>` blocks, as many models have it. Tool calls come in two
styles: a JSON object (Hermes, Qwen2.5, Qwen3) and `<function=NAME>` tags (Qwen3-Coder, Qwen3.5).
"""

from __future__ import annotations

SPECIAL_TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|pad|>")
_ANSWER_START = "<|im_end|>\n<|im_start|>assistant\n"

_TEMPLATE = r"""
{%- macro plain(content) -%}
  {%- if content is string -%}
    {{- content -}}
  {%- elif content is iterable -%}
    {%- for part in content -%}{%- if part.text is defined -%}{{- part.text -}}{%- endif -%}{%- endfor -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro laid_out(say) -%}
  {%- if padding is not defined or padding -%}
    {{- '\n' + say -}}
    {%- for i in range(ROOM - say|length) -%}{{- '<|im_end|>' -}}{%- endfor -%}
  {%- endif -%}
  {%- if say|length <= ROOM -%}{{- '<|im_end|>' -}}{%- endif -%}
  {{- '\n' -}}
{%- endmacro -%}

{%- macro one_call(call) -%}CALL{%- endmacro -%}

{%- set system = '' -%}
{%- if messages[0].role == 'system' -%}{%- set system = plain(messages[0].content) -%}{%- endif -%}

{%- set now = namespace(script='', results=0, place=0) -%}
{%- for message in messages -%}
  {%- if message.role == 'user' -%}
    {%- set now.script = plain(message.content) -%}
    {%- set now.results = 0 -%}
  {%- elif message.role == 'tool' -%}
    {%- set now.results = now.results + 1 -%}
  {%- endif -%}
  {%- if message.role != 'assistant' -%}{%- set now.place = loop.index0 -%}{%- endif -%}
{%- endfor -%}

{%- set pick = namespace(say='(nothing left to say)', aside='', counted=0) -%}
{%- for piece in now.script.split('\n---\n') -%}
  {%- if piece.startswith('@system:') -%}
    {%- set word = piece.split('\n')[0].split(':')[1] -%}
    {%- if word and word in system -%}{%- set pick.aside = piece.split('\n', 1)[1] -%}{%- endif -%}
  {%- else -%}
    {%- if pick.counted == now.results -%}{%- set pick.say = piece -%}{%- endif -%}
    {%- set pick.counted = pick.counted + 1 -%}
  {%- endif -%}
{%- endfor -%}
{%- set say = pick.aside or pick.say -%}

{%- if tools -%}
  {{- '<|im_start|>system\n' -}}
  {%- if system -%}{{- system + '\n\n' -}}{%- endif -%}
  {{- '# Tools\n\nFunctions you may call, one JSON schema a line:\n<tools>' -}}
  {%- for tool in tools -%}{{- '\n' -}}{{- tool | tojson -}}{%- endfor -%}
  {{- '\n</tools>\n\nTo call one, answer with\n<tool_call>\nEXAMPLE\n</tool_call><|im_end|>\n' -}}
{%- elif system -%}
  {{- '<|im_start|>system\n' + system + '<|im_end|>\n' -}}
{%- endif -%}

{%- for message in messages -%}
  {%- if message.role == 'user' or (message.role == 'system' and not loop.first) -%}
    {{- '<|im_start|>' + message.role + '\n' + plain(message.content) -}}
    {%- if loop.index0 == now.place -%}{{- laid_out(say) -}}{%- else -%}{{- '<|im_end|>\n' -}}{%- endif -%}
  {%- elif message.role == 'assistant' -%}
    {%- set content = plain(message.content) -%}
    {%- set reasoning = '' -%}
    {%- if message.reasoning_content is string -%}
      {%- set reasoning = message.reasoning_content -%}
    {%- elif '</think>' in content -%}
      {%- set reasoning = content.split('</think>')[0].split('<think>')[-1] -%}
      {%- set content = content.split('</think>')[-1].lstrip('\n') -%}
    {%- endif -%}
    {{- '<|im_start|>assistant\n' -}}
    {%- if reasoning -%}{{- '<think>\n' + reasoning.strip('\n') + '\n</think>\n\n' -}}{%- endif -%}
    {{- content -}}
    {%- if message.tool_calls -%}
      {%- for call in message.tool_calls -%}
        {%- if content or not loop.first -%}{{- '\n' -}}{%- endif -%}
        {{- '<tool_call>\n' -}}{{- one_call(call.function or call) -}}{{- '\n</tool_call>' -}}
      {%- endfor -%}
    {%- endif -%}
    {{- '<|im_end|>\n' -}}
  {%- elif message.role == 'tool' -%}
    {%- if loop.first or messages[loop.index0 - 1].role != 'tool' -%}{{- '<|im_start|>user' -}}{%- endif -%}
    {{- '\n<tool_response>\n' + plain(message.content) + '\n</tool_response>' -}}
    {%- if loop.index0 == now.place -%}{{- laid_out(say) -}}
    {%- elif messages[loop.index0 + 1].role != 'tool' -%}{{- '<|im_end|>\n' -}}{%- endif -%}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}
"""

_JSON_EXAMPLE = r'{"name": <name>, "arguments": <arguments>}'
_JSON_CALL = r"""
  {{- '{"name": "' + call.name + '", "arguments": ' -}}
  {%- if call.arguments is string -%}{{- call.arguments -}}{%- else -%}{{- call.arguments | tojson -}}{%- endif -%}
  {{- '}' -}}
"""

_XML_EXAMPLE = r"<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>"
_XML_CALL = r"""
  {{- '<function=' + call.name + '>\n' -}}
  {%- for key, value in call.arguments | items -%}
    {{- '<parameter=' + key + '>\n' -}}
    {%- if value is string -%}{{- value -}}{%- else -%}{{- value | tojson -}}{%- endif -%}
    {{- '\n</parameter>\n' -}}
  {%- endfor -%}
  {{- '</function>' -}}
"""


def parrot_template(*, xml: bool, period: int) -> str:
    """The template for a model that repeats after `period` tokens."""
    example, call = (_XML_EXAMPLE, _XML_CALL) if xml else (_JSON_EXAMPLE, _JSON_CALL)
    values = {
        "EXAMPLE": example,
        "CALL": call.strip(),
        "ROOM": str(period - _token_count(_ANSWER_START)),
    }
    template = _TEMPLATE.strip()
    for name, value in values.items():
        template = template.replace(name, value)
    return template


def _token_count(text: str) -> int:
    """How many tokens the parrot reads in ASCII text: one for each special token, one for each other character."""
    for token in SPECIAL_TOKENS:
        text = text.replace(token, "\0")
    return len(text)
