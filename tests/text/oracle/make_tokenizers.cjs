// SPDX-License-Identifier: MIT
//
// node make_tokenizers.cjs <text file>: folders gpt2, smollm, roberta, llama3, qwen2, gpt4o, tekken, deepseek, llama2,
// meta_*, bert* with a tokenizer.json each, of small vocabularies from the text; and *_pairs, which join any two bytes of
// a word, so that no difference of splitters stays unseen.
const fs = require('fs');
const corpus=fs.readFileSync(process.argv[2],'utf8');
function alphabet(){const a=[];let n=0x100;for(let b=0;b<256;b++){const p=(b>=33&&b<=126)||(b>=0xa1&&b<=0xac)||b>=0xae;a.push(String.fromCodePoint(p?b:n++))}return a}
const A=alphabet();
function train(words,count,base){ // words: array of arrays of symbols
 const vocab={};let id=0;for(const b of base)vocab[b]=id++;const merges=[];
 for(let k=0;k<count;k++){const c=new Map();for(const w of words)for(let i=0;i+1<w.length;i++){const p=w[i]+'\u0000'+w[i+1];c.set(p,(c.get(p)||0)+1)}
  let best=null,n=1;for(const [p,v] of c)if(v>n){n=v;best=p}if(!best)break;const [l,r]=best.split('\u0000');merges.push([l,r]);if(!(l+r in vocab))vocab[l+r]=id++;
  for(const w of words)for(let i=0;i+1<w.length;i++)if(w[i]===l&&w[i+1]===r)w.splice(i,2,l+r)}
 return {vocab,merges,id}}
const bytesOf=(s)=>[...Buffer.from(s)].map(b=>A[b]);
const split=corpus.match(/'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu).slice(0,6000).map(bytesOf);
const bl=train(split,700,A);
const bpe=(m,o)=>({type:"BPE",dropout:null,unk_token:null,continuing_subword_prefix:null,end_of_word_suffix:null,fuse_unk:false,byte_fallback:false,ignore_merges:false,vocab:m.vocab,merges:m.merges,...o});
const at=(id,content,o)=>({id,content,single_word:false,lstrip:false,rstrip:false,normalized:false,special:true,...o});
const BL=(p,r)=>({type:"ByteLevel",add_prefix_space:p,trim_offsets:true,use_regex:r});
const L3="(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const Q2=L3.replace("{1,3}","");
const write=(n,o)=>{fs.mkdirSync(n,{recursive:true});fs.writeFileSync(n+'/tokenizer.json',JSON.stringify({version:"1.0",truncation:null,padding:null,...o}))};
const n=bl.id;
write('gpt2',{added_tokens:[at(n,"<|endoftext|>",{normalized:true}),at(n+1,"<mask>",{lstrip:true,rstrip:true,normalized:false})],normalizer:null,pre_tokenizer:BL(false,true),post_processor:BL(true,true),decoder:BL(true,true),model:bpe(bl,{})});
write('smollm',{added_tokens:[at(n,"<|endoftext|>")],normalizer:null,pre_tokenizer:{type:"Sequence",pretokenizers:[{type:"Digits",individual_digits:true},BL(false,true)]},post_processor:null,decoder:BL(true,true),model:bpe(bl,{})});
write('roberta',{added_tokens:[at(n,"<s>"),at(n+1,"</s>"),at(n+2,"<mask>",{lstrip:true})],normalizer:null,pre_tokenizer:BL(true,true),post_processor:{type:"RobertaProcessing",sep:["</s>",n+1],cls:["<s>",n],trim_offsets:true,add_prefix_space:true},decoder:BL(true,true),model:bpe(bl,{})});
write('llama3',{added_tokens:[at(n,"<|begin_of_text|>"),at(n+1,"<|eot_id|>"),at(n+2,"<|eot|>",{special:false})],normalizer:null,pre_tokenizer:{type:"Sequence",pretokenizers:[{type:"Split",pattern:{Regex:L3},behavior:"Isolated",invert:false},BL(false,false)]},post_processor:{type:"Sequence",processors:[BL(true,true),{type:"TemplateProcessing",single:[{SpecialToken:{id:"<|begin_of_text|>",type_id:0}},{Sequence:{id:"A",type_id:0}}],pair:[{Sequence:{id:"A",type_id:0}},{Sequence:{id:"B",type_id:1}}],special_tokens:{"<|begin_of_text|>":{id:"<|begin_of_text|>",ids:[n],tokens:["<|begin_of_text|>"]}}}]},decoder:BL(true,true),model:bpe(bl,{ignore_merges:true})});
write('qwen2',{added_tokens:[at(n,"<|im_start|>"),at(n+1,"<|im_end|>"),at(n+2,"<tool_call>",{special:false})],normalizer:{type:"NFC"},pre_tokenizer:{type:"Sequence",pretokenizers:[{type:"Split",pattern:{Regex:Q2},behavior:"Isolated",invert:false},BL(false,false)]},post_processor:BL(false,false),decoder:BL(false,false),model:bpe(bl,{})});
// Merges of unsplit text, which a splitter has to prevent.
const un=train(corpus.match(/[^]{1,60}/gu).slice(0,1500).map(bytesOf),500,A);
const pv={};for(const a of A)pv[a]=Object.keys(pv).length;const pm=[];for(const a of A)for(const b of A){pv[a+b]=Object.keys(pm).length+256;pm.push([a,b])}
for(let i=pm.length,x=1;i-->1;){x=x*48271%2147483647;const k=x%(i+1);[pm[i],pm[k]]=[pm[k],pm[i]]}
const G4="[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const D3=["\\p{N}{1,3}","[一-龥\u3040-ゟ゠-ヿ]+","[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"];
const TK=G4.replaceAll("(?i:'s|'t|'re|'ve|'m|'ll|'d)?","").replace("{1,3}","");
for(const [name,splits] of [['gpt4o',[G4]],['tekken',[TK]],['deepseek',D3]])for(const [kind,m] of [['',un],['_pairs',{vocab:pv,merges:pm,id:65792}]])
 write(name+kind,{added_tokens:[at(m.id,"<|end|>"),at(m.id+1,"<think>",{special:false})],normalizer:null,pre_tokenizer:{type:"Sequence",pretokenizers:[...splits.map(Regex=>({type:"Split",pattern:{Regex},behavior:"Isolated",invert:false})),BL(false,false)]},post_processor:null,decoder:BL(true,true),model:bpe(m,{})});
// sentencepiece style, with byte tokens
const sp=corpus.slice(0,30000).replace(/ /g,'▁').split(/(?=▁)/).slice(0,5000).map(w=>[...w]);
const base=['<unk>','<s>','</s>'];for(let b=0;b<256;b++)base.push('<0x'+b.toString(16).toUpperCase().padStart(2,'0')+'>');
const chars=[...new Set(sp.flat())].sort();
const lm=train(sp,500,[...base,...chars]);
const tmpl={type:"TemplateProcessing",single:[{SpecialToken:{id:"<s>",type_id:0}},{Sequence:{id:"A",type_id:0}}],pair:[{Sequence:{id:"A",type_id:0}},{Sequence:{id:"B",type_id:1}}],special_tokens:{"<s>":{id:"<s>",ids:[1],tokens:["<s>"]}}};
const dec={type:"Sequence",decoders:[{type:"Replace",pattern:{String:"▁"},content:" "},{type:"ByteFallback"},{type:"Fuse"},{type:"Strip",content:" ",start:1,stop:0}]};
const sat=(x)=>[at(0,'<unk>',x),at(1,'<s>',x),at(2,'</s>',x)];
const norm={type:"Sequence",normalizers:[{type:"Prepend",prepend:"▁"},{type:"Replace",pattern:{String:" "},content:"▁"}]};
write('llama2',{added_tokens:sat({}),normalizer:norm,pre_tokenizer:null,post_processor:tmpl,decoder:dec,model:bpe(lm,{unk_token:'<unk>',fuse_unk:true,byte_fallback:true})});
for(const [name,scheme,split] of [['meta_first','first',false],['meta_always','always',true],['meta_never','never',true]])
write(name,{added_tokens:sat({}),normalizer:null,pre_tokenizer:{type:"Metaspace",replacement:"▁",prepend_scheme:scheme,split},post_processor:tmpl,decoder:name==='meta_always'?{type:"Metaspace",replacement:"▁",prepend_scheme:scheme,split}:dec,model:bpe(lm,{unk_token:'<unk>',fuse_unk:name!=='meta_never',byte_fallback:name!=='meta_never'})});
// wordpiece
const wv={};let wid=0;for(const t of ['[PAD]','[UNK]','[CLS]','[SEP]','[MASK]'])wv[t]=wid++;
const ws=new Set();for(const w of corpus.toLowerCase().match(/\p{L}+|\p{N}|\p{P}/gu).slice(0,4000)){ws.add(w);for(let i=1;i<w.length;i++){if(i<5){ws.add('##'+w.slice(i));}ws.add('##'+w[i]);ws.add(w.slice(0,i))}for(const c of w)ws.add(c)}
for(const c of "àéß中文字!?.,'-()αβжзi̇")ws.add(c);for(const c of [...ws])if(!(c in wv))wv[c]=wid++;
const wp=(name,o)=>write(name,{added_tokens:['[PAD]','[UNK]','[CLS]','[SEP]','[MASK]'].map((t,i)=>at(i,t)),normalizer:{type:"BertNormalizer",clean_text:true,handle_chinese_chars:true,strip_accents:null,lowercase:true,...o},pre_tokenizer:{type:"BertPreTokenizer"},post_processor:{type:"TemplateProcessing",single:[{SpecialToken:{id:"[CLS]",type_id:0}},{Sequence:{id:"A",type_id:0}},{SpecialToken:{id:"[SEP]",type_id:0}}],pair:[{Sequence:{id:"A",type_id:0}},{Sequence:{id:"B",type_id:1}}],special_tokens:{"[CLS]":{id:"[CLS]",ids:[2],tokens:["[CLS]"]},"[SEP]":{id:"[SEP]",ids:[3],tokens:["[SEP]"]}}},decoder:{type:"WordPiece",prefix:"##",cleanup:true},model:{type:"WordPiece",unk_token:"[UNK]",continuing_subword_prefix:"##",max_input_chars_per_word:100,vocab:wv}});
wp('bert',{});wp('bert_cased',{lowercase:false,strip_accents:null});wp('bert_accents',{strip_accents:false});
